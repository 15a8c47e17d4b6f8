// Carries out the planned faults, and records when each began, what it affected and when it was over.
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { answers } from '../../dev/servers/temporal.ts'
import { until } from '../kit/codes.ts'
import { sim } from '../kit/orders/buying.ts'
import { social } from '../kit/social/social.ts'
import type { FaultPlan } from './plan.ts'
import type { Death, World } from './world.ts'

type Of<K extends FaultPlan['kind']> = Extract<FaultPlan, { kind: K }>

/** The maximum wait for an armed step. */
const passMs = 12_000

/** The maximum wait for Temporal after the last fault. */
const temporalMs = 120_000

const control = (url: string | null, method: string, at: string, body?: unknown) =>
  fetch(`${url}${at}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })

const sleeping = (pid: number): boolean => {
  try {
    return /^State:\s+[Tt]/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function stop(world: World, { victim, ms }: Of<'stop'>): Promise<void> {
  if (victim === 'postgres' || victim === 'postmaster') {
    const { postmaster, backends } = await world.postgresPids()
    const pids = victim === 'postgres' ? [postmaster, ...backends] : [postmaster]
    const over = world.timeline.begin(
      'stop',
      'postgres',
      `${victim === 'postgres' ? 'all of it' : 'only who takes connections'} stands still`,
    )
    signalAll(pids, 'SIGSTOP')
    await pause(ms)
    signalAll(pids.reverse(), 'SIGCONT')
    return over()
  }
  const target =
    victim === 'temporal'
      ? { signal: (name: NodeJS.Signals) => world.stack.temporal.kill(name), back: async () => {} }
      : world.kept[victim]
  await target.back()
  const over = world.timeline.begin('stop', victim, 'stands still')
  target.signal('SIGSTOP')
  await pause(ms)
  target.signal('SIGCONT')
  over()
}

async function bringBack(part: World['stack']['postgres']): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await part.start()
      return
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}

async function crash(world: World, { back_ms }: Of<'crash'>): Promise<void> {
  const { postgres } = world.stack
  const over = world.timeline.begin('crash', 'postgres', `immediate stop, started again after ${back_ms} ms`)
  postgres.kill('SIGQUIT')
  while (postgres.running()) await pause(20)
  await pause(back_ms)
  await bringBack(postgres)
  over()
}

async function restart(world: World, { signal }: Of<'restart'>): Promise<void> {
  const { temporal } = world.stack
  const over = world.timeline.begin('restart', 'temporal', signal)
  if (signal === 'SIGTERM') await temporal.stop()
  else temporal.kill(signal)
  while (temporal.running()) await pause(20)
  await bringBack(temporal)
  over()
}

/** Armed at a step; the first attempt to reach it is killed or paused. */
async function failpoint(world: World, { step, table, action, ms }: Of<'failpoint'>): Promise<void> {
  const file = path.join(world.failpoints, step)
  const hit = `${file}.hit`
  fs.rmSync(hit, { force: true })
  fs.writeFileSync(file, `${action} ${table}`)
  for (const end = Date.now() + passMs; !fs.existsSync(hit) && Date.now() < end; ) await pause(20)
  fs.rmSync(file, { force: true })
  if (!fs.existsSync(hit)) return
  // A kill is recorded where the death is noticed, and the file goes with it.
  if (action === 'kill') {
    for (const end = Date.now() + 5_000; fs.existsSync(hit) && Date.now() < end; ) await pause(20)
    return
  }
  const over = world.timeline.begin(
    'failpoint',
    'worker',
    `one stands still at ${step} of ${table}`,
    Math.floor(fs.statSync(hit).ctimeMs),
  )
  const workers = [world.kept['worker-1'], world.kept['worker-2']]
  await pause(ms)
  for (const one of workers) if (sleeping(one.pid() ?? 0)) one.signal('SIGCONT')
  over()
}

/** A process that was killed at a failpoint has renamed its file. */
export function explainBy(world: World, planned: readonly FaultPlan[]): World['explain'] {
  const left = planned.filter((one) => one.kind === 'failpoint' && one.action === 'kill') as Of<'failpoint'>[]
  return (name): Death | null => {
    const found = name.startsWith('worker')
      ? left.find(({ step }) => fs.existsSync(path.join(world.failpoints, `${step}.hit`)))
      : undefined
    if (!found) return null
    left.splice(left.indexOf(found), 1)
    const hit = path.join(world.failpoints, `${found.step}.hit`)
    const at = Math.floor(fs.statSync(hit).ctimeMs)
    fs.rmSync(hit)
    return { kind: 'failpoint', what: `SIGKILL at ${found.step} of ${found.table}`, back_ms: found.ms, at }
  }
}

function act(world: World, plan: FaultPlan): Promise<unknown> {
  const { stack, links, timeline } = world
  switch (plan.kind) {
    case 'kill':
      return world.alone(plan.victim, () =>
        world.kept[plan.victim].kill({ kind: 'kill', what: 'SIGKILL', back_ms: plan.back_ms }),
      )
    case 'failpoint':
      return world.alone(plan.step, () => failpoint(world, plan))
    case 'stop':
      return world.alone(plan.victim === 'postmaster' ? 'postgres' : plan.victim, () => stop(world, plan))
    case 'restart':
      return world.alone('temporal', () => restart(world, plan))
    case 'crash':
      return world.alone('postgres', () => crash(world, plan))
    case 'stripe':
      return sim('POST', '/faults', plan.fault)
    case 'front':
      return world.front.fault(plan.fault)
    case 'receiver':
      return control(stack.urls.receiver_control, 'POST', '/rules', { path: '*', ways: plan.way, times: plan.times })
    case 'mail':
      return control(stack.urls.mail, 'POST', '/faults', plan.fault)
    case 'sink':
      return world.sink.fault(plan.fault)
    case 'models':
    case 'chat_bot':
      return control(stack.urls[plan.kind], 'POST', '/_sim/faults', plan.fault)
    case 'social':
      return social('POST', '/faults', plan.fault)
    case 'cut':
      links[plan.link].cut(plan, () =>
        timeline.at('cut', plan.link, `a connection broke ${plan.after_bytes} bytes on, on the way ${plan.direction}`),
      )
      return Promise.resolve()
  }
}

export async function strike(world: World, plan: FaultPlan): Promise<void> {
  await pause(plan.at_ms)
  await act(world, plan)
}

/** Removes armed faults, resumes paused processes and waits until every process is running. */
export async function heal(world: World): Promise<void> {
  for (const link of Object.values(world.links)) link.heal()
  for (const name of fs.readdirSync(world.failpoints)) fs.rmSync(path.join(world.failpoints, name), { force: true })
  const { stack } = world
  await Promise.all([
    sim('DELETE', '/faults'),
    social('DELETE', '/faults'),
    world.front.heal(),
    world.sink.clearFaults(),
    control(stack.urls.receiver_control, 'DELETE', '/rules'),
    control(stack.urls.mail, 'DELETE', '/faults'),
    control(stack.urls.models, 'DELETE', '/_sim/faults'),
    control(stack.urls.chat_bot, 'DELETE', '/_sim/faults'),
  ])
  await until(() => answers(`127.0.0.1:${stack.ports.temporal}`), temporalMs, 250)
  await Promise.all(Object.values(world.kept).map((one) => one.back()))
}
