// The way from the data of a scope to a list or record.
import { pageOf } from '../document/scope.ts'
import { addressOf, ancestorsOf, type Node, type Place, titleOf } from '../document/tree.ts'
import { shortId } from '../format.ts'
import { useLabel } from '../labels.ts'
import { PageLink } from '../ui/links.tsx'
import classes from './record.module.css'

function RecordName({ place }: { place: Place }) {
  const label = useLabel(place, true)
  return <>{label ?? shortId(place.values.at(-1) ?? '')}</>
}

/** Below the tenant's own record, which the header names already. */
const isShown = (node: Node, base: number) =>
  node.key.split('/').length > base && (node.kind === 'record' || node.kind === 'list')

export function Trail({ place, base, home }: { place: Place; base: number; home: string }) {
  const nodes = ancestorsOf(place.node)
    .slice(0, -1)
    .filter((node) => isShown(node, base))
  return (
    <nav aria-label="Breadcrumb">
      <ol className={classes.trail}>
        <li>
          <PageLink to={home} size="sm">
            Data
          </PageLink>
        </li>
        {nodes.map((node) => {
          const values = place.values.slice(0, node.depth)
          return (
            <li key={node.key} dir="auto">
              <PageLink to={pageOf(addressOf(node, values))} size="sm">
                {node.kind === 'record' ? <RecordName place={{ node, values }} /> : titleOf(node)}
              </PageLink>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
