// The goods: searched and filed by taxonomies, and the page of one of them with its variants and reviews.
import { useState } from 'react'
import { each, type PublicProduct } from 'tillwright-client'
import { call, firstOf } from '../api.ts'
import { putItem } from '../cart.ts'
import { Button, Card, Choice, Field, Form, Loaded, Picture, Stars, Text, Title, useLoad } from '../kit.tsx'
import { usePlace } from '../place.ts'
import { isSoldOut, nameOf, optionOf, priceText, textOf, words } from '../records.ts'
import { useShop } from '../shop.ts'
import { Reviews } from './reviews.tsx'

/** Links that filter: one for each term below a root. */
function Terms({ chosen }: { chosen: string | null }) {
  const { terms } = useShop()
  const below = (parent: string | null) => terms.filter(({ parent_id }) => parent_id === parent)
  return below(null).map((root) => (
    <nav key={root.id} className="terms" aria-label={words(root.key)}>
      <span>{words(root.key)}</span>
      {below(root.id).map(({ id, key }) => (
        <a key={id} href={chosen === key ? '/' : `/?in=${key}`} aria-current={chosen === key || undefined}>
          {words(key)}
        </a>
      ))}
    </nav>
  ))
}

export function Products() {
  const { searchParams } = usePlace()
  const { market, terms } = useShop()
  const [count, setCount] = useState(60)
  const [search, chosen] = [searchParams.get('query'), searchParams.get('in')]
  const term = terms.find(({ key }) => key === chosen)
  const filter = term && JSON.stringify([{ taxonomy_id: term.parent_id ?? term.id, entry_ids: [term.id] }])
  const query = { limit: 100, query: search, taxonomy_query: filter }
  const found = useLoad(
    async () => {
      if (chosen && !term) return { items: [], hasMore: false }
      return firstOf(each(call, 'GET /v1/storefront/products', { query }), count)
    },
    JSON.stringify([query, chosen, count]),
  )
  return (
    <>
      <Title>{search ? `Results for “${search}”` : chosen ? words(chosen) : 'Things for the house'}</Title>
      <search>
        <form action="/" className="row">
          <input type="search" name="query" aria-label="Search the shop" key={search} defaultValue={search ?? ''} />
          <button type="submit">Search</button>
        </form>
      </search>
      <Terms chosen={chosen} />
      <Loaded from={found}>
        {({ items, hasMore }) => (
          <>
            <p role="status">
              {items.length === 0 ? 'Nothing was found. Try another word.' : `${items.length} products`}
            </p>
            <ul className="cards">
              {items.map((product) => (
                <Card key={product.id} of={product} at="/products">
                  <p>
                    {priceText(product.variants, market)}
                    {product.variants.every(isSoldOut) && <b className="tag">Sold out</b>}
                  </p>
                </Card>
              ))}
            </ul>
            {hasMore && <Button onClick={() => setCount(count + 60)}>Show more</Button>}
          </>
        )}
      </Loaded>
    </>
  )
}

export function ProductPage({ name }: { name: string }) {
  const found = useLoad(() => call('GET /v1/storefront/products/{id}', { path: { id: name } }), name)
  return <Loaded from={found}>{(product) => <Product product={product} reload={found.again} />}</Loaded>
}

function Product({ product, reload }: { product: PublicProduct; reload(): void }) {
  const { market } = useShop()
  const offered = product.variants.filter(({ prices }) => prices.some((price) => price.market === market.key))
  const [chosen, choose] = useState((offered.find((one) => !isSoldOut(one)) ?? offered[0])?.id ?? '')
  const variant = offered.find(({ id }) => id === chosen)
  const left = variant?.available ?? 1e6
  const [added, setAdded] = useState(false)
  async function add(form: FormData): Promise<void> {
    const item = { product_id: product.id, variant_id: chosen, quantity: Number(form.get('quantity')) }
    await putItem(item, { add: true })
    setAdded(true)
  }
  const options = offered.map((one) => {
    const { value } = optionOf(one)
    return [one.id, isSoldOut(one) ? `${value} (sold out)` : value, isSoldOut(one)] as const
  })
  return (
    <>
      <article className="split">
        <Picture of={product} sizes="(max-width: 800px) 95vw, 520px" eager />
        <div>
          <Title>{nameOf(product)}</Title>
          <Stars of={product.stars} />
          <p className="price">{priceText(variant ? [variant] : [], market)}</p>
          <Text>{textOf(product, 'description')}</Text>
          {variant && (
            <Form label="Add to cart" submit={add} disabled={left === 0}>
              <Choice label={optionOf(variant).name} name="variant" options={options} value={chosen} choose={choose} />
              <Field label="Quantity" name="quantity" type="number" min={1} max={left} defaultValue={1} required />
              {left <= 10 && <small>{left === 0 ? 'Sold out' : `Only ${left} left`}</small>}
            </Form>
          )}
          <p role="status">{added && <a href="/cart">It is in your cart. Go to the cart</a>}</p>
        </div>
      </article>
      <Reviews product={product} reviewed={reload} />
    </>
  )
}
