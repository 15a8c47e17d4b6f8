// The goods: searched and filed by taxonomies, and the page of one of them with its variants and reviews.
import { useState } from 'react'
import type { PublicProduct, PublicTaxonomy } from 'tillwright-client'
import { call } from '../api.ts'
import { Card, Choice, Field, Form, Loaded, Picture, Stars, Text, Title, useLoad } from '../kit.tsx'
import { usePlace } from '../place.ts'
import { isSoldOut, nameOf, optionOf, priceText, textOf, words } from '../records.ts'
import { putItem, useShop } from '../shop.ts'
import { Reviews } from './reviews.tsx'

/** Links that filter: one for each term below a root. */
function Terms({ of, chosen }: { of: PublicTaxonomy[]; chosen: string | null }) {
  const below = (id: string | null) => of.filter(({ parent_id }) => parent_id === id)
  return below(null).map((root) => (
    <nav key={root.id} className="terms" aria-label={words(root.key)}>
      <span>{words(root.key)}</span>
      {below(root.id).map(({ id, key }) => (
        <a key={id} href={chosen === key ? '/' : `/?in=${key}`} aria-current={chosen === key ? 'true' : undefined}>
          {words(key)}
        </a>
      ))}
    </nav>
  ))
}

export function Products() {
  const { searchParams } = usePlace()
  const { market } = useShop()
  const [query, chosen] = [searchParams.get('query') ?? '', searchParams.get('in')]
  const all = { limit: 100, sort_direction: 'asc' } as const
  const terms = useLoad(() => call('GET /v1/storefront/taxonomies', { query: all }), 'terms')
  const term = terms.data?.items.find(({ key }) => key === chosen)
  const filter = term && JSON.stringify([{ taxonomy_id: term.parent_id ?? term.id, entry_ids: [term.id] }])
  const found = useLoad(async () => {
    // Until the terms are there; then the key is another one.
    if (chosen && !terms.data) return new Promise<never>(() => {})
    if (chosen && !filter) return { items: [] }
    return call('GET /v1/storefront/products', { query: { limit: 100, query: query || null, taxonomy_query: filter } })
  }, [query, chosen, chosen && terms.data !== undefined, filter].join())
  return (
    <>
      <Title>{query ? `Results for “${query}”` : chosen ? words(chosen) : 'Things for the house'}</Title>
      <search>
        <form action="/" className="row">
          <input type="search" name="query" aria-label="Search the shop" defaultValue={query} />
          <button type="submit">Search</button>
        </form>
      </search>
      <Terms of={terms.data?.items ?? []} chosen={chosen} />
      <Loaded from={found}>
        {({ items }) => (
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
  const [chosen, choose] = useState((offered.find((variant) => !isSoldOut(variant)) ?? offered[0])?.id ?? '')
  const variant = offered.find(({ id }) => id === chosen)
  const left = variant?.available ?? null
  const [added, setAdded] = useState(false)
  async function add(form: FormData): Promise<void> {
    const item = { product_id: product.id, variant_id: chosen, quantity: Number(form.get('quantity')) }
    await putItem(item, { add: true })
    setAdded(true)
  }
  return (
    <>
      <article className="split">
        <Picture of={product} sizes="(max-width: 800px) 95vw, 520px" eager />
        <div>
          <Title>{nameOf(product)}</Title>
          <Stars of={product.stars} />
          <p className="price">{priceText(variant ? [variant] : [], market)}</p>
          <Text markdown>{textOf(product, 'description')}</Text>
          {variant && (
            <Form label="Add to cart" submit={add} disabled={left === 0}>
              <Choice
                label={optionOf(variant).name}
                name="variant"
                options={offered.map((one) => [
                  ...([one.id, `${optionOf(one).value}${isSoldOut(one) ? ' (sold out)' : ''}`] as const),
                  isSoldOut(one),
                ])}
                value={chosen}
                choose={choose}
              />
              <Field
                label="Quantity"
                name="quantity"
                type="number"
                min={1}
                max={left ?? 1e6}
                defaultValue={1}
                required
              />
              {left !== null && left <= 10 && <small>{left === 0 ? 'Sold out' : `Only ${left} left`}</small>}
            </Form>
          )}
          <p role="status">{added && <a href="/cart">It is in your cart. Go to the cart</a>}</p>
        </div>
      </article>
      <Reviews product={product} reviewed={reload} />
    </>
  )
}
