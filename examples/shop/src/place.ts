// The address of the page: links within the shop change the page without loading it again.
import { useSyncExternalStore } from 'react'

const moved = 'popstate'
const subscribe = (listener: () => void) => {
  addEventListener(moved, listener)
  return () => removeEventListener(moved, listener)
}
export const usePlace = () => new URL(useSyncExternalStore(subscribe, () => location.href))
export function go(to: string): void {
  history.pushState(null, '', to)
  dispatchEvent(new PopStateEvent(moved))
  scrollTo(0, 0)
}
addEventListener('click', (event) => {
  const link = (event.target as Element).closest('a')
  const isOurs = link?.origin === location.origin && !link.getAttribute('href')?.startsWith('#')
  if (!link || !isOurs || event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  go(link.href)
})
