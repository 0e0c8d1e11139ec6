import { benchSharedTicks } from './shared-ticks.js'; console.log(await benchSharedTicks());
