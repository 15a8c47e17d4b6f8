// The stack for independent programs: storage, mailbox and payment provider are theirs where available.
import fs from 'node:fs'
import path from 'node:path'
import { type Child, start } from '../../dev/child.ts'
import { freePort } from '../../dev/ports.ts'
import { everyPart, type Stack, startStack } from '../../dev/stack.ts'
import { until } from '../kit/codes.ts'
import { http } from '../kit/shop.ts'
import { openTee, type Tee } from './tee.ts'
import { go, Missing, python, type Say } from './tools.ts'

export type MailLine = {
  at?: number
  port?: number
  auth?: string
  good?: boolean
  tls?: boolean
  rcpt?: string
  answer?: number
  message?: string
  to?: string[]
}

/** An independent server that is running, or why it is not. */
type Foreign<T> = T | Missing
export const there = <T>(foreign: Foreign<T>): T => {
  if (foreign instanceof Missing) throw foreign
  return foreign
}

export type World = {
  dir: string
  stack: Stack
  api: string
  tee: Tee
  mock: Foreign<Child>
  bucket: Foreign<{ folder: string }>
  mail: Foreign<{ port: number; username: string; password: string; lines: MailLine[] }>
  /** Unexpected lines in the logs of the API and the worker. */
  bugs: string[]
}

const orMissing = <T>(work: Promise<T>): Promise<Foreign<T>> =>
  work.catch((error) => {
    if (error instanceof Missing) return error
    throw error
  })

const unwanted = () => Promise.reject(new Missing('it was not asked for'))

async function openMock(dir: string, say: Say): Promise<{ child: Child; port: number }> {
  const command = await go('stripe-mock', 'github.com/stripe/stripe-mock', say)
  const port = await freePort()
  const child = start(command, ['-http-addr', `127.0.0.1:${port}`], {
    name: 'stripe-mock',
    log: path.join(dir, 'stripe-mock.log'),
  })
  await child.said(/Listening for HTTP/)
  return { child, port }
}

/** The retry delay of an email that a mail server deferred; in production it is minutes. */
export const mailRetryS = 6

const bucketName = 'media'

async function openBucket(dir: string, say: Say) {
  const command = await go('versitygw', 'github.com/versity/versitygw/cmd/versitygw', say)
  const port = await freePort()
  const [folder, sidecar] = [path.join(dir, 's3', 'buckets'), path.join(dir, 's3', 'attributes')]
  fs.mkdirSync(path.join(folder, bucketName), { recursive: true })
  fs.mkdirSync(sidecar)
  const [access, secret] = ['interop-access-key', 'interop-secret-key']
  const args = ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', sidecar, folder]
  const env = { ...process.env, ROOT_ACCESS_KEY: access, ROOT_SECRET_KEY: secret }
  start(command, args, { name: 'versitygw', env, log: path.join(dir, 'versitygw.log') })
  const url = `http://127.0.0.1:${port}`
  await until(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    30_000,
  )
  const settings = {
    S3_ENDPOINT: url,
    S3_BUCKET: bucketName,
    S3_REGION: 'us-east-1',
    S3_ACCESS_KEY_ID: access,
    S3_SECRET_ACCESS_KEY: secret,
  }
  return { folder: path.join(folder, bucketName), settings }
}

async function openMail(dir: string, say: Say) {
  const interpreter = await python('clients', clientPackages, say)
  const [username, password] = ['shop', 'correct horse battery staple']
  const lines: MailLine[] = []
  const onLine = (line: string) => void (line.startsWith('{') && lines.push(JSON.parse(line)))
  const args = [path.join(import.meta.dirname, 'smtp.py'), dir, username, password]
  const child = start(interpreter, args, { name: 'aiosmtpd', log: path.join(dir, 'aiosmtpd.log'), onLine })
  const { port = 0 } = JSON.parse(await child.said(/"port"/)) as MailLine
  return { port, username, password, lines, certificate: path.join(dir, 'mail.crt') }
}

/** One environment for clients and servers in Python, and another for the document's checks. */
export const clientPackages = ['openapi-python-client', 'aiosmtpd', 'cryptography', 'standardwebhooks', 'svix'] as const
export const checkPackages = ['schemathesis', 'openapi-spec-validator'] as const

export async function openWorld(
  dir: string,
  wants: (name: 'stripe' | 'bucket' | 'mail') => boolean,
  say: Say,
): Promise<World> {
  const bugs: string[] = []
  const mock = await orMissing(wants('stripe') ? openMock(dir, say) : unwanted())
  const bucket = await orMissing(wants('bucket') ? openBucket(dir, say) : unwanted())
  const mail = await orMissing(wants('mail') ? openMail(dir, say) : unwanted())
  const stack = await startStack({
    dir,
    fast: true,
    persist: true,
    parts: [...everyPart, 'receiver'],
    progress: say,
    log: (name, line) => {
      if (/^(api|worker)/.test(name) && /^\{"level":[56]0/.test(line)) bugs.push(`${name} ${line.slice(0, 2000)}`)
    },
    died: (child, how) => bugs.push(`${child.name} ended with ${how}: ${child.tail().slice(-2000)}`),
  })
  const tee = await openTee(() => stack.ports.stripe, mock instanceof Missing ? null : mock.port)
  const env = {
    STRIPE_API_BASE: `http://127.0.0.1:${tee.port}`,
    ...(bucket instanceof Missing ? {} : bucket.settings),
    MAIL_RETRY_S: String(mailRetryS),
    ...(mail instanceof Missing ? {} : { NODE_EXTRA_CA_CERTS: mail.certificate }),
  }
  const [api] = await Promise.all([stack.startApi(env), stack.startWorker(env)])
  Object.assign(process.env, stack.env, { TEST_API: api.url, TEST_API_2: api.url })
  Object.assign(process.env, {
    TEST_STRIPE: stack.urls.stripe,
    TEST_STRIPE_CONTROL: stack.urls.stripe_control,
    TEST_MAIL: stack.urls.mail,
  })
  await until(async () => (await http('GET', '/ready')).body.temporal, 30_000)
  return { dir, stack, api: api.url, tee, mock: mock instanceof Missing ? mock : mock.child, bucket, mail, bugs }
}
