// Which folder may import which, as rules that `npm run check` enforces. A type is an import too, unless a row excepts
// it.
const table = {
  rules: { ours: [], packages: ['zod', 'country-region-data', 'ipaddr[.]js', 'libphonenumber-js'], builtins: false },
  entities: { ours: ['rules', 'config'] },
  adapters: { ours: ['rules', 'config'] },
  activities: { ours: ['entities', 'adapters', 'rules', 'config'] },
  workflows: {
    ours: ['rules'],
    types: ['activities'],
    packages: ['zod', '@temporalio/workflow', '@temporalio/common'],
    builtins: false,
  },
  api: { ours: ['entities', 'adapters', 'rules', 'config'] },
  workers: { ours: ['entities', 'adapters', 'rules', 'activities', 'workflows', 'config'] },
}
const product = `^((${Object.keys(table).join('|')})/|config[.]ts$)`
const folder = (name) => (name === 'config' ? '^config[.]ts$' : `^${name}/`)
const packages = (names) => `^node_modules/(${names.join('|')})/`

const ofOurs = Object.entries(table).map(([from, { ours, types = [] }]) => ({
  name: `${from}-import-only-${ours.join('-') || 'themselves'}`,
  severity: 'error',
  from: { path: folder(from) },
  // Types of a row's `types` are the next rule's.
  to: {
    path: '^(?!node_modules/)[^/]+[/.]',
    pathNot: [from, ...ours, ...types].map(folder),
    dependencyTypesNot: ['core', 'npm', 'npm-dev', 'npm-optional'],
  },
}))
const onlyTypes = Object.entries(table).flatMap(([from, { types = [] }]) =>
  types.map((to) => ({
    name: `${from}-know-only-types-of-${to}`,
    severity: 'error',
    from: { path: folder(from) },
    to: { path: folder(to), dependencyTypesNot: ['type-only'] },
  })),
)
const ofPackages = Object.entries(table)
  .filter(([, row]) => row.packages)
  .map(([from, row]) => ({
    name: `${from}-use-only-their-packages`,
    severity: 'error',
    from: { path: folder(from) },
    to: { path: '^node_modules/', pathNot: packages(row.packages) },
  }))
const ofBuiltins = Object.entries(table)
  .filter(([, row]) => row.builtins === false)
  .map(([from]) => ({
    name: `${from}-use-no-node`,
    severity: 'error',
    from: { path: folder(from) },
    to: { dependencyTypes: ['core'] },
  }))

export default {
  forbidden: [
    ...ofOurs,
    ...onlyTypes,
    ...ofPackages,
    ...ofBuiltins,
    {
      name: 'config-imports-only-rules',
      severity: 'error',
      from: { path: folder('config') },
      to: { path: '[.]ts$', pathNot: '^(node_modules|rules)/' },
    },
    {
      name: 'the-kit-of-entities-imports-no-domain',
      comment: 'But for the ORM, which is opened with every entity.',
      severity: 'error',
      from: { path: '^entities/kit/', pathNot: '/(orm|global-tables|tenant-tables)[.]ts$' },
      to: { path: '^entities/(?!kit/)' },
    },
    {
      name: 'the-kit-of-the-api-imports-no-domain',
      severity: 'error',
      from: { path: '^api/(kit|limits|openapi)/' },
      to: { path: '^api/(?!(kit|limits|openapi)/)' },
    },
    {
      name: 'the-kit-of-the-api-writes-no-document',
      severity: 'error',
      from: { path: '^api/(kit|limits)/' },
      to: { path: '^api/openapi/' },
    },
    {
      name: 'the-api-imports-no-temporal-package',
      comment:
        'A route starts nothing by itself: it writes the outbox, and the kit starts what was committed, by adapters/temporal.ts.',
      severity: 'error',
      from: { path: '^api/' },
      to: { path: packages(['@temporalio/[^/]+']) },
    },
    {
      name: 'the-api-runs-no-workflow',
      severity: 'error',
      from: { path: '^(api|entities|adapters)/' },
      to: { path: packages(['@temporalio/(worker|workflow|activity)']) },
    },
    {
      name: 'the-client-imports-only-itself',
      comment: 'It is published as a package of its own. Its generator uses Node.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '.', pathNot: '^client/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'the-console-imports-only-the-client',
      comment: 'It is a program of operators, as any other one: what it does can be scripted. Its build uses Node.',
      severity: 'error',
      from: { path: '^console/src/' },
      to: {
        path: '.',
        pathNot: ['^console/src/', '^client/client[.]ts$', '^(console/)?node_modules/'],
      },
    },
    {
      name: 'the-shop-imports-only-the-client',
      comment: 'It is copied out of this repository. Its pages use what any project can install.',
      severity: 'error',
      from: { path: '^examples/shop/' },
      to: { path: '^(?!node_modules/)[^/]+[/.]', pathNot: '^(examples/shop|client)/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'nothing-imports-dev-bench-test',
      severity: 'error',
      from: { path: product },
      to: { path: '^(dev|bench|test|client|console)/' },
    },
    {
      name: 'no-dev-dependency-in-the-product',
      severity: 'error',
      from: { path: product },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'declared',
      comment: 'A package that only comes along with another one may go with it.',
      severity: 'error',
      from: { pathNot: '^node_modules/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-cycles',
      comment: 'Also of types: files that import each other cannot be read one after the other.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'The shop names the client as a project does that installed it. Here its sources are taken.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^tillwright-client$' },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API to parse with.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^([.]dev|tmp|coverage|client/dist|console/dist|examples/shop/dist)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
}
