// The page at / of the development stack: what runs and where, readable for everyone, and a link that signs in.
import assert from 'node:assert/strict'
import { demoEmail } from '../../dev/seed/seed.ts'
import { axeFindings } from './axe.ts'
import { looksWell } from './looks.ts'
import { type Browser, quiet, type Window } from './window.ts'

export type FirstPage = { api: string; mail: string; browser: Browser; window: Window }
type Check = [guarantee: string, prove: (on: FirstPage) => Promise<string>]

export const firstPageChecks: Check[] = [
  [
    'the first page is accessible in light and dark, wide and narrow, and needs nothing from elsewhere',
    async ({ api, window }) => {
      const { page } = window
      await page.goto(`${api}/`)
      await page.getByRole('heading', { name: 'Tillwright is running' }).waitFor()
      await looksWell(page, 'the first page', axeFindings)
      const links = await page.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''))
      // The console may not be built.
      for (const link of links.filter((one) => one !== '/console/')) {
        const { status } = await fetch(new URL(link, api))
        assert.ok(status < 400, `${link}: ${status}`)
      }
      quiet(window)
      return `${links.length} links`
    },
  ],
  [
    'its link to the console signs the demo operator in',
    async ({ api, window }) => {
      const { page } = window
      await page.goto(`${api}/`)
      await page.getByRole('link', { name: `Open as ${demoEmail}` }).click()
      await page.waitForURL(`${api}/console/**`)
      // As the console does.
      await page.goto(`${api}/health`)
      const email = await page.evaluate(`fetch('/v1/auth/refresh', { method: 'POST' })
        .then((answer) => answer.json())
        .then(({ access_token }) => fetch('/v1/accounts/me', { headers: { authorization: 'Bearer ' + access_token } }))
        .then((answer) => answer.json())
        .then(({ email }) => email)`)
      assert.equal(email, demoEmail)
      return String(email)
    },
  ],
]
