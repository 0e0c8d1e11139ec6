// The layer rule: imports point down this list. A layer may import itself and what stands below it.
const layers = [
  ['commands'],
  ['adapters', 'outputs'],
  ['rows/findings'],
  ['export'],
  ['stream', 'features'],
  ['simulation'],
  ['estimators'],
  ['state'],
  ['events'],
];

/** Faces of a feature that stand at an edge: its tables, gauges, keys, answers and panels. */
const FACES =
  '^src/features/([^/]+/(page/|report|schema|options|keys|gauges|lines|section|route|v1|findings|output|calibration-plot|[a-z-]+-words|[a-z-]+-findings|alarm-states|values-lead|value-standing|compared-values|value-reasons)|[^/]+\\.ts$)';

const layerRules = layers.flatMap((names, depth) => {
  const above = layers.slice(0, depth).flat();
  if (above.length === 0) return [];
  return [
    {
      name: `${names.join('-').replaceAll('/', '-')}-import-down`,
      comment: 'Imports point down the list of layers at the head of this file.',
      severity: 'error',
      from: { path: `^src/(${names.join('|')})/`, pathNot: FACES },
      to: { path: `^src/(${above.join('|')})/` },
    },
  ];
});

const CORE = '^src/(events|state|estimators|simulation|rows)/';

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
      name: 'nobody-knows-a-feature',
      comment:
        'All read the lists of features, and the types of their seam; the library names functions.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(features/|index\\.ts$)' },
      to: { path: '^src/features/[^/]+/' },
    },
    {
      name: 'vendors-only-at-the-edge',
      comment: 'The stream may use RxJS, and schemas are written with typebox wherever they stand.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(adapters|outputs|commands|page|main\\.ts|(bundle|types|scanner)\\.mjs|config(/|\\.ts))',
          FACES,
        ],
      },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        pathNot: 'node_modules/(rxjs|typebox)/',
      },
    },
    {
      name: 'data-passes-read-panes-tick',
      comment:
        'Rooms of the stream know those that the data comes to next, and none that it comes from.',
      severity: 'error',
      from: { path: '^src/stream/(panes|tick)/' },
      to: { path: '^src/stream/read/' },
    },
    {
      name: 'ticks-know-nothing-of-open-panes',
      severity: 'error',
      from: { path: '^src/stream/tick/' },
      to: { path: '^src/stream/panes/' },
    },
    {
      name: 'rxjs-not-below-stream',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(adapters|outputs|commands|stream)/' },
      to: { path: 'node_modules/rxjs/' },
    },
    {
      name: 'the-core-is-pure',
      comment: 'No I/O below the stream layer: built-ins of Node stay out of the core.',
      severity: 'error',
      from: { path: [CORE, '^src/features/'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-does-not-know-config',
      severity: 'error',
      from: { path: [CORE, '^src/stream/', '^src/features/'], pathNot: FACES },
      to: { path: '^src/config(/|\\.ts$)' },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'the-page-shares-what-is-pure',
      comment:
        'It runs in the browser: of the service it knows the shapes of the answers, the names of estimators, rows, findings, formats, which values of a tick are kept, and the lists of features.',
      severity: 'error',
      from: { path: '^src/(page|features/[^/]+/page)/' },
      to: {
        path: '^src/(?!page/|features/|outputs/http/schema/|rows/|estimators/names\\.ts|outputs/(sections/|window-rows\\.ts|opening/opening\\.ts|json/(from-v1|v1-row)\\.ts|history/(series|tick-values)\\.ts))',
      },
    },
    {
      name: 'nobody-imports-the-page',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(page/|features/panels\\.ts|features/[^/]+/page/)' },
      to: { path: '^src/(page|features/[^/]+/page)/' },
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
