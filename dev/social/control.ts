// The controls of the simulator beside those of faults. The networks have none of them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Controls, serveControls } from '../sim/control.ts'
import { BadFault } from '../sim/faults.ts'
import { containers } from './containers.ts'
import { ledger } from './ledger.ts'
import type { Network } from './network.ts'
import { networks } from './networks/networks.ts'
import { newCode } from './oauth.ts'
import { addComment, addPost, type Comment, comments, posts } from './posts.ts'
import { change } from './settings.ts'
import { accountNamed, type Letter, now, revocations, revoke, tokens } from './state.ts'
import { showFile } from './wall.ts'

type Body = Record<string, unknown>

const networkIn = (body: Body): Network => {
  const found = networks.find(({ letter }) => letter === body.network)
  if (!found) throw new BadFault(`network: must be one of ${networks.map(({ letter }) => letter).join(', ')}`)
  return found
}
/** The network of a row. */
const networkOf = (letter: Letter): Network => networkIn({ network: letter })
const textIn = (body: Body, name: string): string => {
  const value = body[name]
  if (typeof value !== 'string') throw new BadFault(`${name}: must be a text`)
  return value
}

/** Tokens of an account by its name; all of them end in `seconds` from now. */
function expire(body: Body) {
  const { id } = accountNamed(networkIn(body), textIn(body, 'account'))
  const held = tokens.all().filter(({ account, kind }) => account === id && kind !== 'refresh')
  for (const token of held) tokens.save({ ...token, expires_at: now() + Number(body.seconds ?? 0) })
  return { expired: held.length }
}
/** The owner of the account removes the app. */
function remove(body: Body) {
  const { id } = accountNamed(networkIn(body), textIn(body, 'account'))
  for (const { family } of tokens.all().filter(({ account }) => account === id)) revoke(family, 'removed by the owner')
  return {}
}

const isNetwork = (network: string | null) => (one: { network: Letter }) => network === null || one.network === network

/** Posts, with their comments; hidden and deleted ones too, unless `visible=true`. */
function listPosts(query: URLSearchParams) {
  const network = query.get('network')
  const [owner, text, beginning] = [query.get('owner'), query.get('text'), query.get('beginning') ?? '']
  return posts
    .all()
    .filter(isNetwork(network))
    .filter(
      (post) =>
        (owner === null || post.owner === owner) &&
        (text === null || post.text === text) &&
        post.text.startsWith(beginning),
    )
    .filter(
      ({ visible_at, deleted_at }) => query.get('visible') !== 'true' || (visible_at !== null && deleted_at === null),
    )
    .map((post) => ({ ...post, comments: comments.group(`${post.network} ${post.id}`) }))
}

const stranger = (network: Network, name: string) => ({
  id: accountNamed(network, name).id,
  name,
  username: name.toLowerCase().replaceAll(/\W/g, ''),
})

/** A post that the owner wrote without the app. */
function published(body: Body) {
  const network = networkIn(body)
  const given = { owner: textIn(body, 'owner'), text: textIn(body, 'text') }
  if (network.publish) return network.publish(given)
  const shown = { permalink: 'https://network.example/', visible_at: now() }
  const kind = body.kind === 'story' ? 'story' : 'post'
  return addPost({ id: network.newId(), network: network.letter, kind, ...given, ...shown })
}
/** A stranger comments on a post, or answers the comment `parent_id`. `count`: so many at once, numbered. */
function comment(body: Body) {
  const [id, text] = [textIn(body, 'post_id'), textIn(body, 'text')]
  const post = posts.all().find((one) => one.id === id && one.deleted_at === null)
  if (!post) throw new BadFault(`post_id: there is no post ${id}`)
  const parent = body.parent_id === undefined ? undefined : comments.get(`${post.network} ${body.parent_id}`)
  if (body.parent_id !== undefined && !parent) throw new BadFault(`parent_id: there is no comment ${body.parent_id}`)
  const network = networkOf(post.network)
  const count = Number(body.count ?? 1)
  const made = Array.from({ length: count }, (_, n) =>
    addComment({
      ...{
        id: network.newId(),
        network: post.network,
        post_id: post.id,
        parent_id: parent?.id ?? null,
        root_id: parent ? (parent.root_id ?? parent.id) : null,
      },
      ...{
        author: stranger(network, String(body.author ?? 'A stranger')),
        own: false,
        text: count === 1 ? text : `${text} ${n + 1}`,
      },
      // A second of its own each, so that their order is that of their numbers.
      ...(count === 1 ? {} : { created_at: now() - count + n + 1 }),
    }),
  )
  return count === 1 ? made[0] : made
}
/** `text` edits a comment, `hidden` hides or shows it, `deleted` removes it, `likes` sets how many like it. */
function editComment(body: Body): Comment {
  const found = comments.all().find(({ id }) => id === textIn(body, 'id'))
  if (!found) throw new BadFault('id: there is no such comment')
  const { text, hidden, deleted, likes } = body
  return comments.save({
    ...found,
    ...(typeof text === 'string' ? { text, edited_at: now() } : {}),
    ...(typeof hidden === 'boolean' ? { hidden } : {}),
    ...(deleted === true ? { deleted_at: now() } : {}),
    ...(typeof likes === 'number' ? { likes } : {}),
  })
}
/** `values`: of the network's own names. `deleted`: its owner removes the post. */
function editPost(body: Body) {
  const found = posts.all().find(({ id }) => id === textIn(body, 'id'))
  if (!found) throw new BadFault('id: there is no such post')
  return posts.save({
    ...found,
    metrics: { ...found.metrics, ...(body.metrics as object) },
    ...(body.deleted === true ? { deleted_at: now() } : {}),
  })
}
/** A container is so many seconds older: it expires after a day. */
function age(body: Body) {
  const found = containers.get(textIn(body, 'id'))
  if (!found) throw new BadFault('id: there is no such container')
  return containers.save({ ...found, created_at: found.created_at - Number(body.seconds ?? 86_400) })
}

const controls: Controls = {
  'GET /_sim/ledger': (_, query) => ledger(Object.fromEntries(query)),
  'GET /_sim/revocations': () => revocations(),
  'GET /_sim/posts': (_, query) => listPosts(query),
  'POST /_sim/posts': editPost,
  /** `owner`: the id of an account, page or channel. */
  'POST /_sim/published': published,
  'POST /_sim/comments': comment,
  'POST /_sim/comments/edit': editComment,
  'POST /_sim/age': age,
  /** Of a network, or of one of its accounts by its name, or by the id of a page. */
  'POST /_sim/settings': (body) => {
    const network = networkIn(body)
    const account =
      typeof body.account === 'string'
        ? accountNamed(network, body.account).id
        : ((body.owner as string | undefined) ?? '')
    return change(network.letter, account, body)
  },
  'POST /_sim/expire': expire,
  'POST /_sim/remove': remove,
  /** A code of the caller's own, as a consent page makes one. */
  'POST /_sim/codes': (body) =>
    newCode(
      accountNamed(networkIn(body), textIn(body, 'account')),
      textIn(body, 'redirect_uri'),
      (body.challenge as string | undefined) ?? null,
      textIn(body, 'code'),
    ),
  /** A token of the caller's own. */
  'POST /_sim/tokens': (body) => {
    const { network, id } = accountNamed(networkIn(body), textIn(body, 'account'))
    const token = textIn(body, 'token')
    return tokens.save({
      token,
      kind: body.kind === 'access' ? 'access' : 'refresh',
      network,
      account: id,
      family: token,
      page: null,
      expires_at: null,
      used: false,
    })
  },
  ...Object.assign({}, ...networks.map((network) => network.controls ?? {})),
}

export async function control(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const file = /^\/_sim\/files\/([0-9a-f]{32})$/.exec(req.url ?? '')?.[1]
  if (file !== undefined && req.method === 'GET') return showFile(file, res)
  return serveControls(controls, req, res)
}
