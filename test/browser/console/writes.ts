// What is written in the console: once, over nothing unseen, and gone when it is deleted.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { paidOrder } from '../orders.ts'
import { until } from '../until.ts'
import { quiet } from '../window.ts'
import {
  act,
  type Check,
  closed,
  elsewhere,
  firstCells,
  form,
  inStore,
  loseAnswer,
  main,
  open,
  operator,
  press,
  sendInVain,
  typeJson,
} from './pages.ts'

export const writeChecks: Check[] = [
  [
    'what the API does not accept is said at its field, and what was typed stays over a reload',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/markets'))
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await form(page).getByLabel('Key').fill('nowhere')
      await form(page).getByLabel('Currency').fill('doubloons')
      await form(page).getByRole('button', { name: 'Create', exact: true }).click()
      const field = form(page).getByLabel('Currency')
      await until('the fault', async () => (await field.getAttribute('aria-invalid')) === 'true')
      await page.reload()
      await form(page).getByText('What you had typed is here again.').waitFor()
      assert.equal(await form(page).getByLabel('Currency').inputValue(), 'doubloons')
      await form(page).getByRole('button', { name: 'Cancel' }).click()
      quiet(on.window, ['422 /v1/stores/…/markets'])
      return 'doubloons'
    },
  ],
  [
    'a refund whose answer is lost, sent again after a reload and by a double click, is one refund',
    async (on) => {
      const { page } = on.window
      const { id: order } = await paidOrder(on)
      const path = inStore(on, `/data/orders/${order}/refunds`)
      await open(on, path)
      await page.getByRole('button', { name: 'Refund', exact: true }).click()
      await form(page).getByLabel('Amount').fill('5')
      const address = `**/orders/${order}/refunds`
      await page.route(address, loseAnswer)
      await form(page).getByRole('button', { name: 'Refund', exact: true }).click()
      await form(page).getByText('No answer arrived', { exact: true }).waitFor()
      await page.unroute(address)
      await page.reload()
      await form(page)
        .getByText(/It is still the same request/)
        .waitFor()
      await form(page).getByRole('button', { name: 'Refund', exact: true }).dblclick()
      await main(page).locator('h1').waitFor()
      await page.waitForURL((url) => !url.search.includes('do='))
      const refunds = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/refunds', {
        path: { storeId: on.store_id, orderId: order },
      })
      assert.deepEqual(
        refunds.items.map(({ amount }) => amount),
        [500],
      )
      quiet(on.window, ['ERR_CONNECTION_RESET /v1/stores/…/orders/…/refunds'])
      return 'one of 5.00'
    },
  ],
  [
    'an amount and a rate are explained and refused in the unit that is typed',
    async (on) => {
      const { page } = on.window
      const { id: order } = await paidOrder(on)
      await open(on, inStore(on, `/data/orders/${order}/refunds?do=POST`))
      await form(page).getByText('Amount to refund, in USD.').waitFor()
      await form(page).getByLabel('Amount').fill('9999')
      await press(page, 'Refund')
      const said = await form(page)
        .getByText(/can be refunded/)
        .innerText()
      assert.match(said, /^At most \d+\.\d\d USD can be refunded\.$/)
      await press(page, 'Cancel')
      await open(on, inStore(on, '/data/promo-codes?do=POST'))
      await press(page, 'Add discount')
      await form(page).getByRole('combobox', { name: 'Kind' }).first().click()
      await page.getByRole('option', { name: 'Items percentage' }).click()
      await form(page).getByText('Discount rate in percent.').waitFor()
      await form(page).getByLabel('Code').fill(`much-${Date.now()}`)
      await form(page).getByLabel('Rate').fill('500')
      await press(page, 'Create')
      await form(page).getByText('Expected at most 100 %.').waitFor()
      await press(page, 'Cancel')
      quiet(on.window, ['422 /v1/stores/…/orders/…/refunds', '422 /v1/stores/…/promo-codes'])
      return said
    },
  ],
  [
    'a refund whose answer is lost, changed to what is refused and back, is one refund',
    async (on) => {
      const { page } = on.window
      const { id: order } = await paidOrder(on)
      await open(on, inStore(on, `/data/orders/${order}/refunds?do=POST`))
      const amount = form(page).getByLabel('Amount')
      await amount.fill('5')
      await sendInVain(page, `**/orders/${order}/refunds`, 'Refund')
      await amount.fill('0')
      await press(page, 'Refund')
      await until('the fault', async () => (await amount.getAttribute('aria-invalid')) === 'true')
      await amount.fill('5')
      await press(page, 'Refund')
      await closed(page)
      const { items } = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/refunds', {
        path: { storeId: on.store_id, orderId: order },
      })
      assert.deepEqual(
        items.map((one) => one.amount),
        [500],
      )
      quiet(on.window, ['422 /v1/stores/…/orders/…/refunds', 'ERR_CONNECTION_RESET /v1/stores/…/orders/…/refunds'])
      return 'one of 5.00'
    },
  ],
  [
    'a shipment whose answer is lost is not sent over what it changed, also after a reload',
    async (on) => {
      const { page } = on.window
      const { id: order } = await paidOrder(on)
      const path = { storeId: on.store_id, orderId: order }
      const lines = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/products', { path })
      await open(on, inStore(on, `/data/orders/${order}/shipments?do=POST`))
      await typeJson(page, '{ "items": ')
      await press(page, 'Create')
      await form(page).getByText('A value cannot be read').waitFor()
      await form(page)
        .getByLabel('Body')
        .fill(JSON.stringify({ items: [{ line_id: lines[0]?.id, quantity: 1 }] }))
      await sendInVain(page, `**/orders/${order}/shipments`, 'Create')
      await press(page, 'Send again')
      await form(page).getByText('It may have been done', { exact: true }).waitFor()
      await page.reload()
      await form(page).getByText('It is still the same request').waitFor()
      await press(page, 'Create')
      await form(page).getByText('It may have been done', { exact: true }).waitFor()
      assert.equal(await form(page).getByRole('button', { name: 'Save mine over it' }).count(), 0)
      const { items } = await operator(on)('GET /v1/stores/{storeId}/orders/{orderId}/shipments', { path })
      assert.equal(items.length, 1)
      await press(page, 'Start afresh')
      await press(page, 'Cancel')
      const shipments = '/v1/stores/…/orders/…/shipments'
      quiet(on.window, [`409 ${shipments}`, `ERR_CONNECTION_RESET ${shipments}`])
      return 'one shipment'
    },
  ],
  [
    'a line of an order and a variant of a product are chosen and listed by their names',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const store = { storeId: on.store_id }
      const { id: order } = await paidOrder(on)
      const [line] = await call('GET /v1/stores/{storeId}/orders/{orderId}/products', {
        path: { ...store, orderId: order },
      })
      await open(on, inStore(on, `/data/orders/${order}/products`))
      const price = `$${((line?.unit_price ?? 0) / 100).toFixed(2)}`
      await main(page).getByRole('cell', { name: price, exact: true }).first().waitFor()
      await open(on, inStore(on, `/data/orders/${order}/shipments?do=POST`))
      await form(page).getByRole('combobox', { name: 'Line' }).click()
      await page.getByRole('option', { name: `${line?.name}` }).click()
      await form(page).getByLabel('Quantity').fill('1')
      await press(page, 'Create')
      await closed(page)
      const { items } = await call('GET /v1/stores/{storeId}/orders/{orderId}/shipments', {
        path: { ...store, orderId: order },
      })
      assert.deepEqual(
        items.flatMap((one) => one.items).map(({ line_id }) => line_id),
        [line?.id],
      )
      const { id: product, variants } = await call('GET /v1/stores/{storeId}/products/{id}', {
        path: { ...store, id: line?.product_id ?? '' },
      })
      const sku = variants[0]?.sku ?? ''
      await open(on, inStore(on, `/data/products/${product}/inventory`))
      await main(page).getByRole('cell', { name: sku, exact: true }).first().waitFor()
      await main(page).getByRole('button', { name: 'Edit', exact: true }).click()
      await press(page, 'Add inventory')
      await form(page).getByRole('combobox', { name: 'Variant' }).click()
      await page.getByRole('option', { name: sku, exact: true }).click()
      await press(page, 'Cancel')
      quiet(on.window)
      return `${line?.name}, ${sku}, ${price}`
    },
  ],
  [
    'what a product is filed under is chosen by name, and the two inputs of an entry are level',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const path = { storeId: on.store_id }
      const { items } = await call('GET /v1/stores/{storeId}/products', { path, query: { limit: 100 } })
      const product = items.find(({ slug, taxonomies }) => taxonomies.length > 0 && Object.keys(slug).length > 0)
      const filed = product?.taxonomies[0]?.entry_ids?.[0] ?? ''
      const { key } = await call('GET /v1/stores/{storeId}/taxonomies/{id}', { path: { ...path, id: filed } })
      await open(on, inStore(on, `/data/products/${product?.id}?do=PUT`))
      const entry = form(page).getByRole('combobox', { name: 'Entry 1' }).first()
      await until('the name of the entry', async () => (await entry.inputValue()) === key)
      const slug = form(page).getByRole('group', { name: 'Slug' })
      const topOf = async (name: string) => (await slug.getByRole('textbox', { name }).boundingBox())?.y
      assert.equal(await topOf('Name'), await topOf('Value'))
      await press(page, 'Cancel')
      quiet(on.window)
      return key
    },
  ],
  [
    'a product gets the name and the picture that the shop shows by a button for each',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const path = { storeId: on.store_id }
      const { items: files } = await call('GET /v1/stores/{storeId}/media', { path, query: { limit: 1 } })
      const key = `named-${Date.now()}`
      await open(on, inStore(on, '/data/products?do=POST'))
      await form(page).getByLabel('Key').first().fill(key)
      await press(page, 'Add name')
      await form(page).getByRole('textbox', { name: 'Value' }).fill('A named thing')
      await press(page, 'Add picture')
      assert.equal(await form(page).getByRole('button', { name: 'Add name' }).count(), 0)
      await form(page).getByRole('combobox', { name: 'Value', exact: true }).click()
      await page.getByRole('option').first().click()
      await press(page, 'Create')
      await main(page).getByRole('heading', { name: 'A named thing', level: 1 }).waitFor()
      await main(page).locator('dd img').first().waitFor()
      const { items } = await call('GET /v1/stores/{storeId}/products', { path, query: { limit: 100 } })
      const made = items.find((one) => one.key === key)
      assert.deepEqual(
        made?.blocks.map((block) => [block.key, block.type]),
        [
          ['name', 'text'],
          ['picture', 'media'],
        ],
      )
      assert.equal(files.length, 1)
      await open(on, inStore(on, '/data/taxonomies'))
      await call('DELETE /v1/stores/{storeId}/products/{id}', { path: { ...path, id: made?.id ?? '' } })
      quiet(on.window)
      return key
    },
  ],
  [
    'stock that is changed by a number, without an answer, is changed once',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const store = { storeId: on.store_id }
      const { items } = await call('GET /v1/stores/{storeId}/products', { path: store, query: { limit: 100 } })
      const [location] = await call('GET /v1/stores/{storeId}/locations', { path: store })
      const product = items.find(({ variants }) => variants.length > 0)
      const row = { variant_id: product?.variants[0]?.id ?? '', location_id: location?.id ?? '' }
      const path = { ...store, id: product?.id ?? '' }
      await call('PUT /v1/stores/{storeId}/products/{id}/inventory', {
        path,
        body: { inventory: [{ ...row, available: 40 }] },
      })
      await open(on, inStore(on, `/data/products/${path.id}/inventory?do=updateProductInventory`))
      await typeJson(page, { inventory: [{ ...row, delta: 2 }] })
      await sendInVain(page, `**/products/${path.id}/inventory`, 'Save')
      await press(page, 'Send again')
      await form(page).getByText('It may have been done', { exact: true }).waitFor()
      const levels = await call('GET /v1/stores/{storeId}/products/{id}/inventory', { path })
      assert.equal(
        levels.find((one) => one.variant_id === row.variant_id && one.location_id === row.location_id)?.available,
        42,
      )
      await page.keyboard.press('Escape')
      const inventory = '/v1/stores/…/products/…/inventory'
      quiet(on.window, [`409 ${inventory}`, `ERR_CONNECTION_RESET ${inventory}`])
      return '42'
    },
  ],
  [
    'a request that the API cannot tell from another one says so, also after a reload',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/taxonomies?do=POST'))
      await form(page).getByLabel('Key').fill(`lost-${Date.now()}`)
      await sendInVain(page, '**/taxonomies', 'Create')
      await form(page).getByText('the API cannot tell that it is the same request').waitFor()
      await press(page, 'Cancel')
      await page.getByRole('button', { name: 'Create', exact: true }).click()
      await form(page).getByText('The API cannot tell the two requests apart').waitFor()
      await page.reload()
      await form(page).getByText('The API cannot tell the two requests apart').waitFor()
      await press(page, 'Start afresh')
      assert.equal(await form(page).getByLabel('Key').inputValue(), '')
      await press(page, 'Cancel')
      quiet(on.window, ['ERR_CONNECTION_RESET /v1/stores/…/taxonomies'])
      return 'until it is started afresh'
    },
  ],
  [
    'what was typed before another operator changed the record is not saved over it unseen',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const [location] = await call('GET /v1/stores/{storeId}/locations', { path: { storeId: on.store_id } })
      await open(on, inStore(on, `/data/locations/${location?.id}?do=PUT`))
      await form(page).getByLabel('City').fill('Typed before')
      await page.keyboard.press('Escape')
      await form(page).waitFor({ state: 'detached' })
      const city = `Theirs ${Date.now()}`
      await call('PUT /v1/stores/{storeId}/locations/{id}', {
        path: { storeId: on.store_id, id: location?.id ?? '' },
        body: { address: { ...location?.address, city } },
      } as never)
      await open(on, inStore(on, `/data/locations/${location?.id}`))
      await main(page).getByText(city).waitFor()
      await page.getByRole('button', { name: 'Edit' }).click()
      await form(page).getByText('What you had typed is here again.').waitFor()
      assert.equal(await form(page).getByLabel('City').inputValue(), 'Typed before')
      await press(page, 'Save')
      await form(page).getByText('Changed meanwhile').waitFor()
      await press(page, 'Go on editing')
      await press(page, 'Save')
      await main(page).getByText('Typed before').waitFor()
      quiet(on.window)
      return `${city}, then what was typed`
    },
  ],
  [
    'of two operators who change one record, the second reads what the first has changed',
    async (on) => {
      const { page } = on.window
      const other = await elsewhere(on)
      const { items } = await operator(on)('GET /v1/stores/{storeId}/locations', {
        path: { storeId: on.store_id },
      }).then((found) => ({ items: found }))
      const path = inStore(on, `/data/locations/${items[0]?.id}`)
      const city = async (at: Page, name: string) => {
        await form(at).getByLabel('City').fill(name)
        await form(at).getByRole('button', { name: 'Save' }).click()
      }
      for (const at of [page, other.page]) {
        await open(on, path, at)
        await at.getByRole('button', { name: 'Edit' }).click()
        await form(at).getByLabel('City').waitFor()
      }
      const [theirs, mine] = [`Springfield ${Date.now()}`, `Shelbyville ${Date.now()}`]
      await city(other.page, theirs)
      await form(other.page).waitFor({ state: 'detached' })
      await city(page, mine)
      await form(page).getByText('Changed meanwhile').waitFor()
      await form(page).getByText(theirs).waitFor()
      await main(page).getByText(theirs).waitFor()
      assert.equal(await form(page).getByLabel('City').inputValue(), mine)
      await form(page).getByRole('button', { name: 'Save mine over it' }).click()
      await main(page).getByText(mine).waitFor()
      await other.close()
      quiet(on.window)
      return `${theirs}, then ${mine}`
    },
  ],
  [
    'a file that is uploaded is in the list, and no secret to be copied',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/media?do=POST'))
      const buffer = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      )
      const before = await operator(on)('GET /v1/stores/{storeId}/media', {
        path: { storeId: on.store_id },
        query: { limit: 100 },
      })
      await page.locator('input[type="file"]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer })
      await press(page, 'Upload')
      await page.getByText('Uploaded').waitFor()
      assert.equal(await page.getByText('Copy this now').count(), 0)
      const rows = before.items.length + 1
      await until(
        'the file in the list',
        async () => (await main(page).locator('tbody tr').count()) >= Math.min(rows, 50),
      )
      quiet(on.window)
      return `${rows} files`
    },
  ],
  [
    'a header that is added deletes no hidden one: its value has to be typed again',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const store = { storeId: on.store_id }
      const { id } = await call('POST /v1/stores/{storeId}/webhooks', {
        path: store,
        body: {
          key: `headers-${Date.now()}`,
          url: 'https://hooks.tillwright.test/in',
          events: [{ event: 'order.created' }],
          headers: { authorization: 'Bearer first' },
        },
      } as never)
      await open(on, inStore(on, `/data/webhooks/${id}?do=PUT`))
      await form(page).getByText('The stored values are hidden').waitFor()
      await press(page, 'Add entry')
      const [names, values] = [
        form(page).getByLabel('Name', { exact: true }),
        form(page).getByLabel('Value', { exact: true }),
      ]
      await names.last().fill('authorization')
      await form(page).getByText('Another entry has this name.').first().waitFor()
      await names.last().fill('x-added')
      await values.last().fill('second')
      await press(page, 'Save')
      await form(page).getByText('The stored value is hidden').waitFor()
      await values.first().fill('Bearer again')
      await press(page, 'Save')
      await closed(page)
      const { headers } = await call('GET /v1/stores/{storeId}/webhooks/{id}', { path: { ...store, id } })
      assert.deepEqual(Object.keys(headers).sort(), ['authorization', 'x-added'])
      quiet(on.window)
      // Nothing on the page may ask for a record that is gone.
      await open(on, inStore(on, '/data/taxonomies'))
      await call('DELETE /v1/stores/{storeId}/webhooks/{id}', { path: { ...store, id } })
      return 'both are there'
    },
  ],
  [
    'an entry of a list keeps what was typed in it when another one is removed',
    async (on) => {
      const { page } = on.window
      await open(on, inStore(on, '/data/products?do=POST'))
      await press(page, 'Add variant')
      for (let count = 0; count < 2; count++) await press(page, 'Add attribute')
      await form(page).getByRole('combobox', { name: 'Kind of Attribute 1' }).click()
      await page.getByRole('option', { name: 'JSON' }).click()
      await form(page).getByLabel('Attribute 1', { exact: true }).fill('{ "broken":')
      await form(page).getByLabel('Attribute 2', { exact: true }).fill('blue')
      await press(page, 'Remove Attribute 1')
      assert.equal(await form(page).getByLabel('Attribute 1', { exact: true }).inputValue(), 'blue')
      assert.equal(await form(page).getByText('This is not valid JSON.').count(), 0)
      await press(page, 'Cancel')
      quiet(on.window)
      return 'blue'
    },
  ],
  [
    'what the state of a campaign does not allow is not offered, and says when it is',
    async (on) => {
      const { page } = on.window
      const store = { storeId: on.store_id }
      const { items } = await operator(on)('GET /v1/stores/{storeId}/campaigns', { path: store })
      const { id } = await operator(on)('POST /v1/stores/{storeId}/campaigns/{id}/duplicate', {
        path: { ...store, id: items[0]?.id ?? '' },
        body: { name: 'A draft' },
      })
      await open(on, inStore(on, `/data/campaigns/${id}`))
      await main(page).getByRole('button', { name: 'Launch', exact: true }).waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      const pause = page.getByRole('menuitem', { name: 'Pause', exact: true })
      assert.equal(await pause.isDisabled(), true)
      assert.equal(await pause.getAttribute('title'), 'Only while the status is scheduled or running.')
      assert.equal(await page.getByRole('menuitem', { name: 'Delete', exact: true }).isEnabled(), true)
      await page.keyboard.press('Escape')
      quiet(on.window)
      return 'launched or deleted, not paused'
    },
  ],
  [
    'an account is changed on its own page',
    async (on) => {
      const { page } = on.window
      await open(on, '/account/data/accounts/me?do=PUT')
      const name = `Demo ${Date.now()}`
      await form(page).getByLabel('Name').fill(name)
      await press(page, 'Save')
      await main(page).getByText(name).first().waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
      await page.keyboard.press('Escape')
      await open(on, '/account/data/accounts/me?do=PUT')
      await form(page).getByLabel('Name').fill('')
      await press(page, 'Save')
      await closed(page)
      await until('no name', async () => (await main(page).getByText(name).count()) === 0)
      quiet(on.window)
      return name
    },
  ],
  [
    'a record that is deleted is gone, from its list and from the API, and one that is not stays',
    async (on) => {
      const { page } = on.window
      const call = operator(on)
      const path = { storeId: on.store_id }
      const key = `deleted-${Date.now()}`
      const { id } = await call('POST /v1/stores/{storeId}/taxonomies', { path, body: { key } } as never)
      await open(on, inStore(on, `/data/taxonomies/${id}`))
      await act(page, 'Delete')
      await form(page).getByRole('heading', { name: key }).waitFor()
      await press(page, 'Cancel')
      await closed(page)
      await call('GET /v1/stores/{storeId}/taxonomies/{id}', { path: { ...path, id } })
      await act(page, 'Delete')
      await press(page, 'Delete')
      await main(page).getByRole('heading', { name: 'Taxonomies', level: 1 }).waitFor()
      await until('the list without it', async () => !(await firstCells(page)).includes(key))
      await assert.rejects(call('GET /v1/stores/{storeId}/taxonomies/{id}', { path: { ...path, id } }), { status: 404 })
      await open(on, inStore(on, `/data/taxonomies/${id}`))
      await main(page).getByText('There is no such record').first().waitFor()
      quiet(on.window, ['404 /v1/stores/…/taxonomies/…', '404 /v1/stores/…/taxonomies/…/children'])
      return key
    },
  ],
]
