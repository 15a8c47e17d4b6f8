// Unknown, missing and malformed parameters are refused by name, as by Stripe.
import { invalid } from './errors.ts'

type Value = string | Form
export type Form = { [name: string]: Value }

const emptyForm = (): Form => Object.create(null) as Form

/** Parses `a[b][0]=c`, as Stripe's clients write it; `a[]=c` appends. */
export function decodeForm(text: string): Form {
  const form = emptyForm()
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.replaceAll(']', '').split('[')
    let at = form
    for (const [depth, part] of keys.entries()) {
      const key = part === '' ? String(Object.keys(at).length) : part
      if (depth === keys.length - 1) {
        at[key] = value
        break
      }
      const inner = at[key]
      if (typeof inner === 'object') at = inner
      else {
        const fresh = emptyForm()
        at[key] = fresh
        at = fresh
      }
    }
  }
  return form
}

/** Reads a form and records what was read, so that `done` names unknown parameters. */
export class Fields {
  readonly #form: Form
  readonly #path: string
  readonly #used = new Set<string>()
  readonly #children: Fields[] = []

  constructor(form: Form, path = '') {
    this.#form = form
    this.#path = path
    if (!path) this.#used.add('expand')
  }

  name(key: string): string {
    return this.#path ? `${this.#path}[${key}]` : key
  }

  text(key: string): string | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (typeof value === 'object') throw invalid(`Invalid string: ${JSON.stringify(value)}`, this.name(key))
    if (value === '') {
      const name = this.name(key)
      throw invalid(
        `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter.`,
        name,
        'parameter_invalid_empty',
      )
    }
    return value
  }

  needed(key: string): string {
    return this.text(key) ?? this.#lacks(key)
  }

  integer(key: string): number | undefined {
    const value = this.text(key)
    if (value === undefined) return undefined
    if (!/^-?\d{1,15}$/.test(value))
      throw invalid(`Invalid integer: ${value}`, this.name(key), 'parameter_invalid_integer')
    return Number(value)
  }

  oneOf<const T extends string>(key: string, allowed: readonly T[]): T | undefined {
    const value = this.text(key)
    if (value === undefined) return undefined
    const found = allowed.find((one) => one === value)
    if (!found) throw invalid(`Invalid ${this.name(key)}: must be one of ${allowed.join(', ')}`, this.name(key))
    return found
  }

  flag(key: string): boolean | undefined {
    const value = this.oneOf(key, ['true', 'false'])
    return value === undefined ? undefined : value === 'true'
  }

  isMap(key: string): boolean {
    return typeof this.#form[key] === 'object'
  }

  map(key: string): Fields | undefined {
    const value = this.#take(key)
    if (value === undefined) return undefined
    if (typeof value === 'string') throw invalid('Invalid object', this.name(key))
    const fields = new Fields(value, this.name(key))
    this.#children.push(fields)
    return fields
  }

  items(key: string): Fields[] {
    const list = this.map(key)
    return list ? Object.keys(list.#form).map((index) => list.map(index) ?? list.#lacks(index)) : []
  }

  texts(key: string): string[] {
    const list = this.map(key)
    return list ? Object.keys(list.#form).map((index) => list.needed(index)) : []
  }

  metadata(key = 'metadata'): Record<string, string> {
    const value = this.#take(key)
    if (value === undefined || value === '') return {}
    if (typeof value === 'string') throw invalid('Invalid object', this.name(key))
    const found: Record<string, string> = {}
    for (const [name, text] of Object.entries(value)) {
      if (typeof text === 'object') throw invalid('Metadata values must be strings', this.name(key))
      if (name.length > 40) throw invalid(`Metadata keys can have up to 40 characters: ${name}`, this.name(key))
      if (text.length > 500)
        throw invalid(
          `Metadata values can have up to 500 characters, but you passed in a value that is ${text.length} characters.`,
          this.name(key),
        )
      if (text !== '') found[name] = text
    }
    if (Object.keys(found).length > 50) throw invalid('You can have up to 50 metadata keys', this.name(key))
    return found
  }

  /** The metadata of an update: an empty value removes its key, an empty `metadata` removes all. */
  mergedMetadata(current: Record<string, string>): Record<string, string> {
    const value = this.#form.metadata
    const given = this.metadata()
    if (value === undefined) return current
    if (value === '') return {}
    const kept = Object.entries(current).filter(([name]) => !(name in (value as Form)))
    return { ...Object.fromEntries(kept), ...given }
  }

  /** Whether the parameter is given as an empty text, which removes the value. */
  clears(key: string): boolean {
    if (this.#form[key] !== '') return false
    this.#used.add(key)
    return true
  }

  /** A text of an update: null removes the value, undefined leaves it. */
  textOrNull(key: string): string | null | undefined {
    return this.clears(key) ? null : this.text(key)
  }

  /** Accepted as by Stripe, and not stored. */
  ignore(...keys: string[]): void {
    for (const key of keys) this.#used.add(key)
  }

  done(): void {
    const unknown = Object.keys(this.#form).find((key) => !this.#used.has(key))
    if (unknown !== undefined)
      throw invalid(`Received unknown parameter: ${this.name(unknown)}`, this.name(unknown), 'parameter_unknown')
    for (const child of this.#children) child.done()
  }

  #take(key: string): Value | undefined {
    this.#used.add(key)
    return this.#form[key]
  }

  #lacks(key: string): never {
    throw invalid(`Missing required param: ${this.name(key)}.`, this.name(key), 'parameter_missing')
  }
}
