import { Outcomes } from '../../src/stream/ingest/outcomes.js';
import { Monitor } from '../../src/stream/monitor.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { DEFAULTS, PAPERS } from './default-options.js';
export { syntheticLog } from './synthetic-log.js';
export { NAMES_EXPOSURE } from '../../src/events/columns.js';
export const side=(which:string,ids:any)=>{const monitor=new Monitor(which==='papers'?PAPERS:DEFAULTS,ids);
 return {which,cpu:[] as number[],turn(batch:any,first:number){const o=new Outcomes();monitor.intake.acceptExposures(0,batch.exposures,o);monitor.intake.acceptInteractions(0,batch.interactions,o);
  for(let p=monitor.closable();p!==undefined;p=monitor.closable()){ if(p<first)runAtOnce(monitor.settle(p)); else {const c=process.cpuUsage();runAtOnce(monitor.close(p));const {user,system}=process.cpuUsage(c);this.cpu.push((user+system)/1000);}}}}};
