// What pages are made of: titles, loading, forms with their problems, cards, pictures and stars.
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { messagesOf } from './api.ts'
import { type Described, nameOf, pictureOf } from './records.ts'
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
/** Loads what a page shows, again when `key` changes: what was there before stays until then. */
export function useLoad<T>(load: () => Promise<T>, key: string): Load<T> {
  const [turn, setTurn] = useState(0)
  const [found, setFound] = useState<{ key?: string; data?: T; problems?: string[] }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says what `load` depends on
  useEffect(() => {
    let isWanted = true
    load().then(
      (data) => isWanted && setFound({ key, data }),
      // What was read before stays beside the problem.
      (error) => isWanted && setFound((old) => ({ ...(old.key === key && old), problems: messagesOf(error) })),
    )
    return () => {
      isWanted = false
    }
  }, [key, turn])
  return { ...found, again: () => setTurn((n) => n + 1) }
}

/** The page of what was loaded; until then a line that says so, or what went wrong. */
export function Loaded<T>({ from, children }: { from: Load<T>; children(data: T): ReactNode }) {
  const { data, problems, again } = from
  if (data === undefined && !problems) return <p aria-busy="true">Loading …</p>
  return (
    <>
      {problems && <Problems of={problems} again={again} />}
      {data !== undefined && children(data)}
    </>
  )
}

/** Loads again twice a second, for ten seconds at most, until it is done: an event of the provider is on its way. */
export function usePolling<T>({ data, again }: Load<T>, isDone: (data: T) => boolean): void {
  const [tries, setTries] = useState(0)
  const waits = data !== undefined && !isDone(data) && tries < 20
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` is another function each time
  useEffect(() => {
    if (!waits) return
    const timer = setTimeout(() => {
      setTries(tries + 1)
      again()
    }, 500)
    return () => clearTimeout(timer)
  }, [waits, tries])
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

/** Value and text of each option of a select. */
type Options = readonly (readonly [string, string])[] | undefined
type FieldProps = ComponentProps<'input'> & { label: string; area?: boolean; options?: Options }
export function Field({ label, area, options, ...input }: FieldProps) {
  const common = input as object
  // A blank is no value for what is required.
  const pattern = input.required && (input.type ?? 'text') === 'text' ? '.*\\S.*' : undefined
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is one of the three
    <label className="field">
      {`${label}${input.required ? '' : ' (optional)'}`}
      {options ? (
        <select {...common}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ) : area ? (
        <textarea rows={4} {...common} />
      ) : (
        <input pattern={pattern} {...input} />
      )}
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
export const textIn = (form: FormData, name: string) => String(form.get(name) ?? '').trim()

type Option = readonly [value: string, text: string, disabled?: boolean]
type Chosen = { value: string; choose?(value: string): void }
type ChoiceProps = Chosen & { label: string; name: string; options: readonly Option[] }
/** Radio buttons. With `choose` the page knows the choice, else the form reads it. */
export const Choice = ({ label, name, options, value, choose }: ChoiceProps) => (
  <fieldset>
    <legend>{label}</legend>
    <div className="choices">
      {options.map(([own, text, disabled]) => {
        const chosen = choose
          ? { checked: own === value, onChange: () => choose(own) }
          : { defaultChecked: own === value }
        return (
          <label key={own}>
            <input type="radio" required {...{ name, value: own, disabled, ...chosen }} />
            {text}
          </label>
        )
      })}
    </div>
  </fieldset>
)

export function Picture({ of, sizes, eager }: { of: Described; sizes: string; eager?: boolean }) {
  const picture = pictureOf(of)
  if (!picture) return <div className="picture" />
  return <img className="picture" alt={nameOf(of)} sizes={sizes} loading={eager ? 'eager' : 'lazy'} {...picture} />
}

type CardProps = { of: Described & { slug: object; id: string; stars: Rating }; at: string; children: ReactNode }
/** A record in a list. `at`: the folder of its page. */
export const Card = ({ of, at, children }: CardProps) => (
  <li className="card">
    <Picture of={of} sizes="(max-width: 600px) 45vw, 260px" />
    <h2>
      <a href={`${at}/${Object.values(of.slug)[0] ?? of.id}`}>{nameOf(of)}</a>
    </h2>
    {children}
    {of.stars.average !== null && <Stars of={of.stars} />}
  </li>
)

type Rating = { average: number | null; count?: number }
export function Stars({ of: { average, count } }: { of: Rating }) {
  if (average === null) return <p>No ratings yet</p>
  const full = Math.round(average)
  const label = `${average.toFixed(1)} of 5 stars${count === undefined ? '' : `, ${count} ratings`}`
  return (
    <span className="stars" role="img" aria-label={label}>
      {'★'.repeat(full) + '☆'.repeat(5 - full)} {count !== undefined && <small>({count})</small>}
    </span>
  )
}

/** Paragraphs. `markdown`: without the signs of a description; what a visitor wrote is shown as it is. */
export const Text = ({ children = '', markdown }: { children: string | undefined; markdown?: boolean }) =>
  children
    .split(/\n{2,}/)
    .map((paragraph) => <p key={paragraph}>{markdown ? paragraph.replaceAll(/[*_#]/g, '') : paragraph}</p>)
