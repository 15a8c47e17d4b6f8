// What the public sees: a page of the visible posts of all networks, newest first, with their files and their comments.
import fs from 'node:fs'
import type { ServerResponse } from 'node:http'
import { files, pathOf } from './files.ts'
import { type Comment, commentsOn, type Post, posts } from './posts.ts'
import { accounts, type Letter } from './state.ts'

const shownMax = 200
export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const time = (seconds: number | null) => new Date((seconds ?? 0) * 1_000).toISOString().replace('T', ' ').slice(0, 19)

function ownerOf({ network, owner }: Post): string {
  const account = accounts.get(`${network} ${owner}`)
  const page = account ? undefined : accounts.all().flatMap(({ pages }) => pages.filter(({ id }) => id === owner))[0]
  return page?.name ?? account?.name ?? owner
}

function fileOf(id: string): string {
  const file = files.get(id)
  const address = `/_sim/files/${id}`
  if (file?.kind === 'video') return `<video controls preload="none" src="${address}"></video>`
  return `<img alt="" src="${address}">`
}

const commentOf = (all: readonly Comment[], one: Comment): string =>
  `<li><b>${escaped(one.author.name)}</b> ${escaped(one.text)}${one.edited_at === null ? '' : ' <i>edited</i>'}${listOf(
    all,
    all.filter(({ parent_id }) => parent_id === one.id),
  )}</li>`
const listOf = (all: readonly Comment[], some: readonly Comment[]): string =>
  some.length === 0 ? '' : `<ul>${some.map((one) => commentOf(all, one)).join('')}</ul>`

function articleOf(post: Post): string {
  const all = commentsOn(post.network, post.id).filter(({ hidden }) => !hidden)
  const top = all.filter(({ parent_id }) => parent_id === null)
  return `<article id="${post.id}"><header><b>${escaped(ownerOf(post))}</b> on network ${post.network}, ${post.kind}, ${time(post.visible_at)}</header>
${post.files.map(fileOf).join('')}${post.title ? `<h2>${escaped(post.title)}</h2>` : ''}<p>${escaped(post.text)}</p>${post.link ? `<p>${escaped(post.link)}</p>` : ''}
${listOf(all, top)}</article>`
}

const style = `body{font:16px/1.4 sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}article{border:1px solid #ccc;border-radius:8px;padding:1rem;margin:1rem 0}
header{color:#555;font-size:.85rem}img,video{max-width:100%;max-height:24rem;margin:.5rem .5rem 0 0}p{white-space:pre-wrap;overflow-wrap:anywhere}ul{padding-left:1.2rem}`

export function showWall(query: URLSearchParams, response: ServerResponse): void {
  const network = query.get('network') as Letter | null
  const shown = posts
    .all()
    .filter(
      (post) => post.visible_at !== null && post.deleted_at === null && (network === null || post.network === network),
    )
    .sort((one, other) => Number(other.visible_at) - Number(one.visible_at))
  const more = shown.length > shownMax ? `<p>${shown.length - shownMax} older posts are not shown.</p>` : ''
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<title>The wall</title><style>${style}</style><h1>The wall</h1><p>Posts on the simulated networks, as the public sees them.</p>
${shown.slice(0, shownMax).map(articleOf).join('\n') || '<p>Nothing is visible yet.</p>'}${more}</html>`
  response
    .writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    })
    .end(page)
}

/** A file that a network has. */
export function showFile(id: string, response: ServerResponse): void {
  const file = files.get(id)
  if (!file || !/^(image|video)\//.test(file.mime_type) || file.mime_type === 'image/svg+xml')
    return void response.writeHead(404).end()
  response.writeHead(200, {
    'content-type': file.mime_type,
    'content-length': file.bytes,
    'x-content-type-options': 'nosniff',
  })
  fs.createReadStream(pathOf(id))
    .on('error', () => response.destroy())
    .pipe(response)
}
