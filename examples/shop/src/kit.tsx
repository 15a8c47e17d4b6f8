// What pages are made of: titles, loading, forms with their problems, cards, pictures and stars.
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { messagesOf } from './api.ts'
import { type Described, inLanguage, nameOf, pictureOf } from './records.ts'
import { useShop } from './shop.ts'

/** The heading of a page, and what tabs and histories call it. */
export function Title({ children }: { children: string }) {
  const { name } = useShop().store
  useEffect(() => {
    document.title = `${children} – ${name}`
  }, [children, name])
  return <h1>{children}</h1>
}

type Load<T> = { data?: T | undefined; problems?: string[] | undefined; again(): void }
/**
 * Loads what a page shows, again when `key` changes: what was there before stays until then. Where an event of the
 * provider is on its way, it is loaded twice a second until `isDone`, for ten seconds at most.
 */
export function useLoad<T>(load: () => Promise<T>, key: string, isDone = (_: T) => true): Load<T> {
  const [turn, setTurn] = useState(0)
  const [found, setFound] = useState<{ key?: string; data?: T; problems?: string[] }>({})
  const again = () => setTurn((n) => n + 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says what `load` depends on
  useEffect(() => {
    let isWanted = true
    let timer: ReturnType<typeof setTimeout>
    const show = (data: T) => {
      if (!isWanted) return
      setFound({ key, data })
      if (turn < 20 && !isDone(data)) timer = setTimeout(again, 500)
    }
    // What was read before stays beside the problem.
    const say = (error: unknown) =>
      isWanted && setFound((old) => ({ ...(old.key === key && old), problems: messagesOf(error) }))
    load().then(show, say)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [key, turn])
  return { ...found, again }
}

/** The page of what was loaded; until then a line that says so, or what went wrong. */
export function Loaded<T>({ from, children }: { from: Load<T>; children(data: T): ReactNode }) {
  const { data, problems = [], again } = from
  if (data === undefined && problems.length === 0) return <p aria-busy="true">Loading …</p>
  return (
    <>
      <Problems of={problems} again={again} />
      {data !== undefined && children(data)}
    </>
  )
}

export const Problems = ({ of, again }: { of: readonly string[]; again?: () => void }) => (
  <div role="alert" className={of.length > 0 ? 'problems' : undefined}>
    {of.map((text) => (
      <p key={text}>{text}</p>
    ))}
    {again && of.length > 0 && <Button onClick={again}>Try again</Button>}
  </div>
)
/** A button that sends no form. */
export const Button = (button: ComponentProps<'button'>) => <button type="button" {...button} />

/** Runs requests, and keeps what went wrong with the last one. */
export function useAction() {
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  async function run(work: () => Promise<unknown>): Promise<void> {
    setBusy(true)
    setProblems([])
    await work().catch((error) => setProblems(messagesOf(error)))
    setBusy(false)
  }
  return { run, busy, problems }
}

type Submit = { label: string; disabled?: boolean; submit(form: FormData): Promise<unknown> }
type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & Submit
/** A form with one button, which sends it once at a time. Its fields are read by their names. */
export function Form({ label, disabled = false, submit, children, ...form }: FormProps) {
  const { run, busy, problems } = useAction()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const sent = new FormData(event.currentTarget)
        if (!busy) void run(() => submit(sent))
      }}
      {...form}
    >
      {children}
      <Problems of={problems} />
      <button type="submit" className="main" disabled={busy || disabled}>
        {busy ? 'One moment …' : label}
      </button>
    </form>
  )
}
export const textIn = (form: FormData, name: string) => String(form.get(name) ?? '').trim()

/** `options`: value and text of each. */
type FieldProps = ComponentProps<'input'> & { label: string; area?: boolean; options?: Option[] | undefined }
export function Field({ label, area, options, ...input }: FieldProps) {
  const Control = (options ? 'select' : area ? 'textarea' : 'input') as 'input'
  // A blank is no value for what is required.
  const pattern = Control === 'input' && input.required && (input.type ?? 'text') === 'text' ? '.*\\S.*' : undefined
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is one of the three
    <label className="field">
      {`${label}${input.required ? '' : ' (optional)'}`}
      <Control pattern={pattern} {...input}>
        {options?.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Control>
    </label>
  )
}

/** A visitor who has proved their address buys and joins with it. */
export function Email() {
  const { me } = useShop()
  const known = me?.contact.email ?? ''
  if (me?.is_verified) return <p>Signed in as {known}.</p>
  return <Field label="E-mail" name="email" type="email" autoComplete="email" required defaultValue={known} />
}

export type Option = readonly [value: string, text: string, disabled?: boolean]
type ChoiceProps = { label: string; name: string; options: Option[]; value: string | null; choose?(to: string): void }
/** Radio buttons; `value` is checked at first. */
export const Choice = ({ label, options, value: first, choose, name }: ChoiceProps) => (
  <fieldset>
    <legend>{label}</legend>
    <div className="choices" onChange={({ target }) => choose?.((target as HTMLInputElement).value)}>
      {options.map(([value, text, disabled]) => (
        <label key={value}>
          <input type="radio" required {...{ name, value, disabled, defaultChecked: value === first }} />
          {text}
        </label>
      ))}
    </div>
  </fieldset>
)

export function Picture({ of, sizes, eager }: { of: Described; sizes: string; eager?: boolean }) {
  const picture = pictureOf(of)
  if (!picture) return <div className="picture" />
  return <img className="picture" alt={nameOf(of)} sizes={sizes} loading={eager ? 'eager' : 'lazy'} {...picture} />
}

type Listed = Described & { id: string; slug: Record<string, string>; stars: Rating }
/** A record in a list. `at`: the folder of its page. */
export const Card = ({ of, at, children }: { of: Listed; at: string; children: ReactNode }) => (
  <li className="card">
    <Picture of={of} sizes="(max-width: 600px) 45vw, 260px" />
    <h2>
      <a href={`${at}/${inLanguage(of.slug) ?? of.id}`}>{nameOf(of)}</a>
    </h2>
    {children}
    {of.stars.average !== null && <Stars of={of.stars} />}
  </li>
)

type Rating = { average: number | null; count?: number }
export function Stars({ of: { average, count } }: { of: Rating }) {
  if (average === null) return <p>No ratings yet</p>
  const label = `${average.toFixed(1)} of 5 stars${count === undefined ? '' : `, ${count} ratings`}`
  return (
    <span className="stars" role="img" aria-label={label}>
      {'★'.repeat(Math.round(average)).padEnd(5, '☆')} {count !== undefined && <small>({count})</small>}
    </span>
  )
}

/** With the line breaks of the text. */
export const Text = ({ children }: { children: string | undefined }) => <p className="text">{children}</p>
