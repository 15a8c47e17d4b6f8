// The course of an effect as a picture: lanes for our record, the worker and the provider; what went from one to
// another, when, and what did not come back.
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, useId, useState } from 'react'
import { useHere } from '../access.tsx'
import { wordsOf } from '../document/schema.ts'
import { clockText, dayText, lengthText } from '../format.ts'
import { Status } from '../ui/ui.tsx'
import type { Course, Entry } from './courses.ts'
import { causeOf, type Lane, labelRows, laneNames, lanes, layoutOf, type Moment, sidesOf } from './layout.ts'
import classes from './picture.module.css'

const names: Partial<Record<Entry['kind'], string>> = {
  requested: 'Requested',
  claimed: 'Picked up',
  sent: 'Sent',
  deadline: 'Deadline',
  silence: 'No answer',
  answered: 'Answered',
  settled: 'Settled',
  late_evidence: 'Late evidence',
  resolved: 'Resolved',
}

/** An outcome that is unknown is not settled. */
function nameOf({ kind, details, effect }: Entry, entries: readonly Entry[]): string {
  const isUnknown = kind === 'settled' && String(details.status ?? effect?.status) === 'unknown'
  if (!isUnknown) return names[kind] ?? wordsOf(kind)
  return entries.some((one) => one.kind === 'silence' && one.details.bound) ? 'Deadline passed: unknown' : 'Unknown'
}

type Tone = 'plain' | 'work' | 'good' | 'bad' | 'doubt' | 'late'
function toneOf({ kind, effect, details }: Entry): Tone {
  if (kind === 'silence' || kind === 'deadline') return 'doubt'
  if (kind === 'late_evidence') return 'late'
  if (kind === 'claimed' || kind === 'sent' || kind === 'answered') return 'work'
  if (kind !== 'settled' && kind !== 'resolved') return 'plain'
  const outcome = String(details.status ?? details.outcome ?? effect?.status)
  if (outcome === 'unknown') return 'doubt'
  return ['succeeded', 'accepted', 'published', 'completed'].includes(outcome)
    ? 'good'
    : kind === 'resolved'
      ? 'work'
      : 'bad'
}

/** Side by side where there is room; on a phone time runs down. */
const laneGap = 74
type Axes = { isAcross: boolean; laneGap: number; at(along: number, lane: Lane): { x: number; y: number } }
const axesOf = (isAcross: boolean, width: number): Axes => {
  const laneGapDown = width < 320 ? 44 : 60
  return {
    isAcross,
    laneGap: isAcross ? laneGap : laneGapDown,
    at(along, lane) {
      const lanesBefore = lanes.indexOf(lane)
      return isAcross ? { x: along, y: lanesBefore * laneGap + 28 } : { x: lanesBefore * laneGapDown + 94, y: along }
    },
  }
}

type Point = { x: number; y: number }
const line = (from: Point, to: Point) => ({ x1: from.x, y1: from.y, x2: to.x, y2: to.y })

/** `isOpen`: it ends at a lane and not at a mark. */
type ArrowProps = { from: Point; to: Point; kind: 'sent' | 'late' | 'step' | 'gaveUp'; isOpen?: boolean }

function Arrow({ from, to, kind, isOpen = false }: ArrowProps) {
  const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  if (length < 20) return null
  const short = (point: Point, by: number) => ({
    x: point.x + ((to.x - from.x) / length) * by,
    y: point.y + ((to.y - from.y) / length) * by,
  })
  const end = short(to, isOpen ? -2 : -11)
  return (
    <g>
      <line className={classes[kind]} {...line(short(from, 9), short(to, isOpen ? -8 : -15))} />
      <path
        className={classes.tip}
        data-late={kind === 'late' || undefined}
        data-plain={kind === 'step' || undefined}
        data-doubt={kind === 'gaveUp' || undefined}
        d="M0 0 -8 -4.500 -8 4.500Z"
        transform={`translate(${end.x} ${end.y}) rotate(${angle})`}
      />
    </g>
  )
}

/** What lies between the moments: the worker at work, bytes on their way, silence. Later proofs are drawn singly. */
function Between({ moments, axes }: { moments: readonly Moment[]; axes: Axes }) {
  const all = (kind: Entry['kind']) => moments.filter(({ entry }) => entry.kind === kind)
  const [[requested], [claimed], [sent], [limit]] = [all('requested'), all('claimed'), all('sent'), all('deadline')]
  const [[silence], [answered], outcomes] = [all('silence'), all('answered'), all('settled')]
  const end = outcomes[0] ?? answered ?? silence ?? limit
  const at = (moment: Moment, lane: Lane = moment.entry.lane) => axes.at(moment.along, lane)
  /** Bytes need a moment: they arrive a little later than they left. */
  const arrival = sent && axes.at(sent.along + 22, 'provider')
  return (
    <g>
      {claimed && end && end.along > claimed.along && (
        <line className={classes.busy} {...line(at(claimed, 'worker'), at(end, 'worker'))} />
      )}
      {limit && <line className={classes.limit} {...line(at(limit, 'record'), at(limit, 'provider'))} />}
      {requested && claimed && claimed.along > requested.along && (
        <Arrow from={at(requested)} to={at(claimed, 'worker')} kind="step" />
      )}
      {sent && arrival && <Arrow from={at(sent, 'worker')} to={arrival} kind="sent" isOpen />}
      {silence && arrival && <line className={classes.quiet} {...line(arrival, at(silence, 'provider'))} />}
      {outcomes.map((outcome) => {
        const cause = causeOf(moments, outcome)
        const kind = cause?.entry.kind === 'silence' ? 'gaveUp' : 'step'
        if (cause && cause.entry.kind !== 'settled')
          return <Arrow key={outcome.along} from={at(cause)} to={at(outcome)} kind={kind} />
        const isReported = outcome.entry.by?.type === 'provider'
        const from = axes.at(outcome.along - 26, 'provider')
        return isReported && <Arrow key={outcome.along} from={from} to={at(outcome)} kind="late" />
      })}
      {all('late_evidence').map((late) => (
        <Arrow key={late.along} from={at(late)} to={axes.at(late.along + 26, 'record')} kind="late" />
      ))}
    </g>
  )
}

/** Where the name of a moment stands. A long one does not leave the picture. */
function labelOf({ entry, along }: Moment, entries: readonly Entry[], isLast: boolean) {
  const name = nameOf(entry, entries)
  const width = 8 * name.length
  const anchor: 'end' | 'middle' = isLast && width > 2 * after ? 'end' : 'middle'
  const from = anchor === 'end' ? along + after - width : along - width / 2
  const isBelow = entry.lane === 'provider' || entry.kind === 'claimed'
  return { name, anchor, lane: entry.lane, from, to: from + width, isBelow }
}
type Label = ReturnType<typeof labelOf>

const signs: Partial<Record<Entry['kind'], string>> = {
  silence: 'M-3.500 -3.500 3.500 3.500M3.500 -3.500 -3.500 3.500',
  answered: 'M-4 0 -1 3 4 -3',
  settled: 'M-4 0 -1 3 4 -3',
  resolved: 'M0 -4a2 2 0 1 1 0 4 2 2 0 0 1 0-4M-4 5a4 3.500 0 0 1 8 0',
  deadline: 'M0 -4V0L3 2',
  sent: 'M-4 0H4M1 -3 4 0 1 3',
  claimed: 'M-3 0H3',
  late_evidence: 'M0 -4V1M0 4V4.100',
}

type MarkProps = Pick<Label, 'name' | 'anchor'> & {
  moment: Moment
  isBelow: boolean | undefined
  axes: Axes
  isActive: boolean
  isFirst: boolean
  act(): void
  move(by: number): void
}

function Mark({ moment, name, anchor, isBelow, axes, isActive, isFirst, act, move }: MarkProps) {
  const { zone } = useHere()
  const { entry, along } = moment
  const { x, y } = axes.at(along, entry.lane)
  const tone = toneOf(entry)
  const sign =
    entry.kind === 'settled' && tone !== 'good'
      ? tone === 'doubt'
        ? 'M-2 -2a2 2 0 1 1 2.500 2V1.500M0.500 4V4.100'
        : signs.silence
      : signs[entry.kind]
  const isSquare = entry.kind === 'settled' || entry.kind === 'resolved'
  const place = axes.isAcross
    ? { textAnchor: anchor, x: anchor === 'end' ? after : 0, y: isBelow ? 27 : -18 }
    : { x: axes.laneGap * (2 - lanes.indexOf(entry.lane)) + 18, y: 4 }
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    move(by)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG has no elements of HTML
    <g
      className={classes.mark}
      data-tone={tone}
      data-active={isActive || undefined}
      transform={`translate(${x} ${y})`}
      role="button"
      tabIndex={isActive || isFirst ? 0 : -1}
      aria-label={`${name}, ${clockText(entry.at, zone)}, ${laneNames[entry.lane]}: ${entry.title}`}
      onMouseEnter={act}
      onFocus={act}
      onClick={act}
      onKeyDown={onKey}
    >
      <circle className={classes.halo} r={13} />
      {isSquare ? (
        <rect className={classes.body} x={-9} y={-9} width={18} height={18} rx={5} />
      ) : (
        <circle className={classes.body} r={9} />
      )}
      {sign && <path className={classes.sign} d={sign} />}
      <text className={classes.name} {...place}>
        {axes.isAcross || !name.endsWith(': unknown') ? name : 'Unknown'}
      </text>
    </g>
  )
}

/** Lanes that run down are narrower than their names. */
const headAnchors: Record<Lane, 'start' | 'middle' | 'end'> = { record: 'end', worker: 'middle', provider: 'start' }
const headShifts: Record<Lane, number> = { record: 12, worker: 0, provider: -12 }

/** For the names of the lanes, and half the name of a moment. */
const before = 104
const after = 46
const height = 2 * laneGap + 98

type Props = { course: Course; title?: string; isHeadless?: boolean }

export function EffectPicture({ course, title, isHeadless = false }: Props) {
  const { zone } = useHere()
  const { ref, width } = useElementSize()
  const [chosen, setChosen] = useState<number>()
  const id = useId()
  const isAcross = width >= 430
  const axes = axesOf(isAcross, width)
  const layout = isAcross ? layoutOf(course.entries, width, before, after) : layoutOf(course.entries, undefined, 44, 44)
  const { moments, gaps, length } = layout
  const rows = labelRows(moments, 79)
  const labels = moments.map((moment, at) => labelOf(moment, course.entries, at === moments.length - 1))
  const sides = sidesOf(labels)
  const active = chosen ?? moments.length - 1
  const shown = moments[active]?.entry
  const size = isAcross ? { width: Math.max(length, width), height } : { width, height: length + 8 }
  const focus = (at: number) => {
    const next = Math.min(moments.length - 1, Math.max(0, at))
    setChosen(next)
    document.getElementById(`${id}-${next}`)?.querySelector<SVGGElement>('[role="button"]')?.focus()
  }
  const sentence = `${wordsOf(course.effect.name)}, ${wordsOf(course.effect.status).toLowerCase()}: ${moments.map(({ entry }) => entry.title).join(' ')}`
  return (
    <figure className={classes.figure}>
      {!isHeadless && (
        <div className={classes.head}>
          <b>{title ?? wordsOf(course.effect.name)}</b>
          <Status value={course.effect.status} />
        </div>
      )}
      <div className={classes.canvas} ref={ref}>
        {width > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: a picture with parts that can be reached is a group
          <svg width={size.width} height={size.height} role="group" aria-label={sentence}>
            {lanes.map((lane) => {
              const from = axes.at(isAcross ? before - 36 : 30, lane)
              const to = axes.at((isAcross ? size.width : size.height) - 14, lane)
              return (
                <g key={lane}>
                  <line className={classes.lane} {...line(from, to)} />
                  {isAcross ? (
                    <text className={classes.laneName} x={2} y={from.y + 4}>
                      {laneNames[lane]}
                    </text>
                  ) : (
                    <text
                      className={classes.laneName}
                      x={from.x + headShifts[lane]}
                      y={16}
                      textAnchor={headAnchors[lane]}
                    >
                      {laneNames[lane]}
                    </text>
                  )}
                </g>
              )
            })}
            <Between moments={moments} axes={axes} />
            {gaps.map(({ from, to, seconds }) => {
              const middle = (from + to) / 2
              const place = isAcross ? { x: middle, y: height - 30 } : { x: 8, y: middle }
              return (
                <text key={from} className={classes.gap} {...place} textAnchor={isAcross ? 'middle' : 'start'}>
                  {lengthText(seconds)}
                </text>
              )
            })}
            {moments.map(({ entry, along }, at) => {
              const row = isAcross ? rows[at] : 0
              if (row === undefined) return null
              const place = isAcross ? { x: along, y: height - 16 + 12 * row } : { x: 2, y: along + 4 }
              return (
                <text
                  key={`${entry.kind} ${along}`}
                  className={classes.clock}
                  {...place}
                  textAnchor={isAcross ? 'middle' : 'start'}
                >
                  {clockText(entry.at, zone)}
                </text>
              )
            })}
            {moments.map((moment, at) => (
              <g key={`${moment.entry.kind} ${moment.along}`} id={`${id}-${at}`}>
                <Mark
                  moment={moment}
                  {...(labels[at] as Label)}
                  isBelow={sides[at]}
                  axes={axes}
                  isActive={at === active}
                  isFirst={at === 0 && active < 0}
                  act={() => setChosen(at)}
                  move={(by) => focus(at + by)}
                />
              </g>
            ))}
          </svg>
        )}
      </div>
      {shown && (
        <figcaption className={classes.caption} aria-live="polite">
          <b>{nameOf(shown, course.entries)}</b> · {dayText(shown.at, zone)}, {clockText(shown.at, zone)}
          <br />
          <span dir="auto">{shown.title}</span>
        </figcaption>
      )}
    </figure>
  )
}
