// The shop: opens the store, and shows the page of the address below one header.
import { Fragment, type ReactNode, useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { messagesOf } from './api.ts'
import { showLostOrder } from './cart.ts'
import { Problems, Title } from './kit.tsx'
import { Account } from './pages/account.tsx'
import { Book, Services } from './pages/booking.tsx'
import { CartPage } from './pages/checkout.tsx'
import { Club } from './pages/club.tsx'
import { Contact } from './pages/contact.tsx'
import { OrderPage, Thanks } from './pages/order.tsx'
import { ProductPage, Products } from './pages/products.tsx'
import { usePlace } from './place.ts'
import { openShop, type Shop, useShop } from './shop.ts'
import './style.css'

/** By the first part of the address, with what the second one names. Those with a label stand in the header. */
const pages: Record<string, { label?: (shop: Shop) => string; show(name: string): ReactNode }> = {
  '': { label: () => 'Shop', show: () => <Products /> },
  products: { show: (name) => (name ? <ProductPage name={name} /> : <Products />) },
  book: { label: () => 'Book', show: (name) => (name ? <Book name={name} /> : <Services />) },
  club: { label: () => 'Club', show: () => <Club /> },
  contact: { label: () => 'Contact', show: () => <Contact /> },
  account: { label: ({ me }) => (me?.is_verified ? 'Account' : 'Sign in'), show: () => <Account /> },
  orders: { show: (id) => (id ? <OrderPage id={id} /> : <Account />) },
  cart: { label: ({ cart }) => `Cart (${unitsIn(cart)})`, show: () => <CartPage /> },
  thanks: { show: () => <Thanks /> },
}
const unitsIn = (cart: Shop['cart']) =>
  (cart?.product_items ?? []).reduce((sum, { quantity }) => sum + quantity, cart?.booking_items.length ?? 0)

/** As decodeURIComponent, which throws for what is no UTF-8. */
const decode = (part: string) =>
  new URLSearchParams(`of=${part.replaceAll(/[&+]/g, encodeURIComponent)}`).get('of') ?? ''

function Page() {
  const shop = useShop()
  const { support } = shop.store.emails
  const { pathname } = usePlace()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  // A screen reader hears the new page, and the keyboard goes on from its beginning.
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true })
    shown.current = pathname
  }, [pathname])
  const [, folder = '', name = ''] = pathname.split('/').map(decode)
  const page = Object.hasOwn(pages, folder) ? pages[folder] : undefined
  return (
    <>
      <header>
        <a className="skip" href="#main">
          Skip to the content
        </a>
        <a href="/" className="brand">
          {shop.store.name}
        </a>
        <nav aria-label="Main">
          {Object.entries(pages).map(
            ([path, { label }]) =>
              label && (
                <a key={path} href={`/${path}`} aria-current={pathname === `/${path}` ? 'page' : undefined}>
                  {label(shop)}
                </a>
              ),
          )}
        </nav>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Fragment key={pathname}>{page?.show(name) ?? <Title>This page does not exist</Title>}</Fragment>
      </main>
      <footer>{support && <a href={`mailto:${support}`}>{support}</a>}</footer>
    </>
  )
}

const root = createRoot(document.getElementById('shop') as HTMLElement)
openShop()
  .then(() => showLostOrder())
  .then(
    () => root.render(<Page />),
    (error) =>
      root.render(
        <main>
          <h1>The shop is closed for a moment</h1>
          <Problems of={messagesOf(error)} again={() => location.reload()} />
        </main>,
      ),
  )
