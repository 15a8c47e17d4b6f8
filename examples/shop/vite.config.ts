// Builds the shop. In a copy, delete the alias (and `paths` of tsconfig.json), install the packed client, and put your
// own config.json into `public/`. `npm run dev` takes that of the shop that `npm start` of the clone serves.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const client = fileURLToPath(new URL('../../client/client.ts', import.meta.url))

export default defineConfig({
  build: { target: 'es2023', modulePreload: { polyfill: false } },
  resolve: { alias: { 'tillwright-client': client } },
  server: { proxy: { '/config.json': process.env.SHOP_URL ?? 'http://127.0.0.1:8088' } },
})
