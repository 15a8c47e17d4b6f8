// Builds the shop. In a copy, delete the alias (and `paths` of tsconfig.json). With SHOP_URL, `npm run dev` takes the
// config of the shop that is served there, and not that of `public/`.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const { SHOP_URL } = process.env
const client = fileURLToPath(new URL('../../client/client.ts', import.meta.url))

export default defineConfig({
  build: { target: 'es2023', modulePreload: { polyfill: false } },
  resolve: { alias: { 'tillwright-client': client } },
  server: { proxy: SHOP_URL ? { '/config.json': SHOP_URL } : {} },
})
