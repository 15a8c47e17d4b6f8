// The shop: opens the store, and shows the page of the address below one header.
import { type ReactNode, useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { messagesOf } from './api.ts'
import { Problems, Title } from './kit.tsx'
import { Account } from './pages/account.tsx'
import { Book, Services } from './pages/booking.tsx'
import { Checkout } from './pages/checkout.tsx'
import { Club } from './pages/club.tsx'
import { Contact } from './pages/contact.tsx'
import { OrderPage, Thanks } from './pages/order.tsx'
import { ProductPage, Products } from './pages/products.tsx'
import { usePlace } from './place.ts'
import { openShop, useShop } from './shop.ts'
import './style.css'

const pages: Record<string, (name: string) => ReactNode> = {
  '': () => <Products />,
  products: (name) => (name ? <ProductPage name={name} key={name} /> : <Products />),
  book: (name) => (name ? <Book name={name} key={name} /> : <Services />),
  cart: () => <Checkout />,
  thanks: () => <Thanks />,
  account: () => <Account />,
  orders: (id) => (id ? <OrderPage id={id} key={id} /> : <Account />),
  club: () => <Club />,
  contact: () => <Contact />,
}

/** As decodeURIComponent, which throws for what is no UTF-8. */
const decode = (part: string) =>
  new URLSearchParams(`of=${part.replaceAll(/[&+]/g, encodeURIComponent)}`).get('of') ?? ''

function Header() {
  const { store, cart, me } = useShop()
  const { pathname } = usePlace()
  const count =
    (cart?.product_items ?? []).reduce((sum, { quantity }) => sum + quantity, 0) + (cart?.booking_items.length ?? 0)
  const links = { '/': 'Shop', '/book': 'Book', '/club': 'Club', '/contact': 'Contact' }
  const own = { '/account': me?.is_verified ? 'Account' : 'Sign in', '/cart': `Cart (${count})` }
  return (
    <header>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <a href="/" className="brand">
        {store.name}
      </a>
      <nav aria-label="Main">
        {Object.entries({ ...links, ...own }).map(([path, label]) => (
          <a key={path} href={path} aria-current={pathname === path ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
    </header>
  )
}

function Shop() {
  const { store } = useShop()
  const { support } = store.emails
  const { pathname } = usePlace()
  const main = useRef<HTMLElement>(null)
  const shown = useRef(pathname)
  // A screen reader hears the new page, and the keyboard goes on from its beginning.
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true })
    shown.current = pathname
  }, [pathname])
  const [, folder = '', name = ''] = pathname.split('/').map(decode)
  return (
    <>
      <Header />
      <main id="main" ref={main} tabIndex={-1}>
        {Object.hasOwn(pages, folder) ? pages[folder]?.(name) : <Title>This page does not exist</Title>}
      </main>
      {support && (
        <footer>
          <a href={`mailto:${support}`}>{support}</a>
        </footer>
      )}
    </>
  )
}

const root = createRoot(document.getElementById('shop') as HTMLElement)
openShop().then(
  () => root.render(<Shop />),
  (error) =>
    root.render(
      <main>
        <h1>The shop is closed for a moment</h1>
        <Problems of={messagesOf(error)} />
      </main>,
    ),
)
