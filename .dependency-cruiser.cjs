// The layer rule: imports point down this list. A layer may import itself and what stands below it.
const layers = [
  ['commands'],
  ['adapters'],
  ['report', 'history'],
  ['findings'],
  ['figures'],
  ['export'],
  ['stream'],
  ['estimators', 'sampling', 'drift', 'decision', 'learning', 'segments'],
  ['propensity', 'gains', 'simulation'],
  ['state'],
  ['events'],
  ['mathematics'],
];

const layerRules = layers.flatMap((names, depth) => {
  const above = layers.slice(0, depth).flat();
  if (above.length === 0) return [];
  return [
    {
      name: `${names.join('-')}-import-down`,
      comment: 'Imports point down the list of layers at the head of this file.',
      severity: 'error',
      from: { path: `^src/(${names.join('|')})/` },
      to: { path: `^src/(${above.join('|')})/` },
    },
  ];
});

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      comment: 'Types count: a result type that two files need lives in a file of its own.',
      to: { circular: true },
    },
    {
      name: 'vendors-only-at-the-edge',
      comment:
        'Only adapters, commands and the entry points touch a package; the stream layer may use RxJS.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(adapters|commands|page|main\\.ts|bundle\\.mjs|config(/|\\.ts)|features/schemas\\.ts|features/[^/]+/(schema|rating-report)\\.ts|rows/row\\.ts|outputs/json/v1-schema\\.ts|features/[^/]+/page/)',
      },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        pathNot: 'node_modules/rxjs/',
      },
    },
    {
      name: 'rxjs-not-below-stream',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(adapters|commands|stream)/' },
      to: { path: 'node_modules/rxjs/' },
    },
    {
      name: 'the-core-is-pure',
      comment: 'No I/O below the stream layer: node built-ins stay out of the core.',
      severity: 'error',
      from: {
        path: '^src/(mathematics|events|state|propensity|gains|estimators|sampling|drift|decision|learning|segments|simulation|figures|findings)/',
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-does-not-know-config',
      severity: 'error',
      from: {
        path: '^src/(mathematics|events|state|propensity|gains|estimators|sampling|drift|decision|learning|segments|simulation|stream|figures|findings)/',
      },
      to: { path: '^src/config(/|\\.ts$)' },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-packages',
      severity: 'error',
      comment: 'The page is bundled when it is built; the service needs none of its packages.',
      from: { path: '^src/', pathNot: '^src/(page/|bundle\\.mjs)' },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'the-page-shares-what-is-pure',
      comment:
        'It runs in the browser: of the service it knows the shapes of the answers, the names of estimators, which value of a model leads, findings, formats, rows, and which values of a tick are kept.',
      severity: 'error',
      from: { path: '^src/page/' },
      to: {
        path: '^src/(?!page/|adapters/http/schema/|findings/|figures/|estimators/(names|value/window/leading-values)\\.ts|history/(series|tick-values)\\.ts|features/(panels|output|outputs)\\.ts|outputs/window-rows\\.ts|rows/row\\.ts)',
      },
    },
    {
      name: 'nobody-imports-the-page',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(page/|features/panels\\.ts|features/[^/]+/page/)' },
      to: { path: '^src/page/' },
    },
    {
      name: 'the-core-knows-no-feature',
      comment:
        'A feature is a folder that can be deleted: only the lists beside the folders name it. `propensities` still uses estimators of ratings.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(features/|index\\.ts|commands/propensities/)' },
      to: { path: '^src/features/[^/]+/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
