// The address of the page: links within the shop change the page without loading it again.
import { useSyncExternalStore } from 'react'

/** For useSyncExternalStore: what is read changes with this event of the window. */
export const on = (event: string) => (listener: () => void) => {
  addEventListener(event, listener)
  return () => removeEventListener(event, listener)
}
const moved = 'popstate'
const onMove = on(moved)
export const usePlace = () => new URL(useSyncExternalStore(onMove, () => location.href))
export function go(to: string): void {
  history.pushState(null, '', to)
  dispatchEvent(new PopStateEvent(moved))
  scrollTo(0, 0)
}
addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a')
  const isOurs = link?.origin === location.origin && !link.target && !link.getAttribute('href')?.startsWith('#')
  if (!link || !isOurs || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  go(link.href)
})
