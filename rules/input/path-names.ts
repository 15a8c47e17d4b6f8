// Names by which records are read in a path: a name that the path cannot hold, or that another route or an id takes,
// would find nothing.

/** Words that are routes beside the name. A test compares them with the table of routes. */
const routesBeside: Readonly<Record<string, readonly string[]>> = { service: ['availability'], audience: ['members'] }
/** Kinds of records that are read by their key. Others are read by their slug, or by their id alone. */
export const keysInPaths: ReadonlySet<string> = new Set(['collection', 'taxonomy', 'form', 'audience'])

/** Why a name of a kind of records cannot stand in a path; undefined if it can. */
export function pathNameFault(kind: string, name: string): string | undefined {
  if (name === '.' || name === '..') return 'Dots alone cannot stand in an address.'
  if (routesBeside[kind]?.includes(name.toLowerCase()))
    return `\`${name}\` is the address of something else. Choose another name.`
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)
    ? 'A name in the form of an id would be taken for one. Choose another name.'
    : undefined
}
