// One input per field of a schema. Faults of the API are shown where they are.
import {
  ActionIcon,
  Button,
  Group,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect, useId, useState } from 'react'
import { useHere } from '../access.tsx'
import { minorDigits } from '../currencies.ts'
import { labelOf } from '../document/columns.ts'
import { describe, fieldName, plainText, type Schema, type Shape, type Value, wordsOf } from '../document/schema.ts'
import type { Item, Place, Tree } from '../document/tree.ts'
import { unixOf, wallClock } from '../format.ts'
import { listNamed, RecordSelect, yesOrNo } from '../list/record-select.tsx'
import { Icon } from '../ui/icons.tsx'
import { shownTexts } from '../units.ts'
import { currencyIn } from '../value.tsx'
import classes from './form.module.css'
import { beginning, beginningOf, type Faults, hasFault, isObject, isWritable, pointerTo, redacted } from './model.ts'

/** `broken`: fields whose text is no value. While there is one, the form is not sent. */
export type FormFrame = {
  tree: Tree
  place: Place
  faults: Faults
  markets: ReadonlyMap<string, string>
  broken: Set<string>
}
const FormContext = createContext<FormFrame | undefined>(undefined)
export const FormProvider = FormContext
function useForm(): FormFrame {
  const frame = useContext(FormContext)
  if (!frame) throw new Error('a field outside of a form')
  return frame
}

/** Tells the form whether what is shown in a field is a value that can be sent. */
function useBroken(isBroken: boolean): void {
  const { broken } = useForm()
  const id = useId()
  useEffect(() => {
    if (!isBroken) return undefined
    broken.add(id)
    return () => void broken.delete(id)
  }, [isBroken, broken, id])
}

type FieldProps = {
  name: string
  schema: Schema
  value: unknown
  change(value: unknown): void
  pointer: string
  isRequired?: boolean
  /** The object around, in which a currency or the id of another record may be. */
  item: Item
  currency: string | undefined
  /** Replaces the name, as for the entries of a list. */
  label?: string
}

/** The first sentence is what a person needs; the rest is for programmers, and shown on hovering. */
const sentence = (text: string) => /^.*?[.;](?=\s|$)/s.exec(text)?.[0].replace(/;$/, '.') ?? text

type About = { label: string; description: ReactNode; error: ReactNode; required: boolean }
type Known = FieldProps & { described: Value; about: About }
/** Of a value that is taken away: null where it may be. */
const taken = ({ described, value }: Known) => (described.isNullable && value !== undefined ? null : undefined)

function useAbout({ name, pointer, isRequired, label, currency }: FieldProps, described: Value): About {
  const texts = shownTexts(described.shape, currency)
  const description = texts
    .about(described.description)
    .replace(/^(?:True )?(`?[a-z])/, (_, first) => first.toUpperCase())
  const { faults } = useForm()
  const fault = faults.get(pointer)
  return {
    label: label ?? fieldName(name, described),
    description: description ? (
      <span title={plainText(description)}>{plainText(sentence(description))}</span>
    ) : undefined,
    error: fault && texts.fault(fault),
    required: isRequired ?? false,
  }
}

function TextField(props: Known & { shape: Extract<Shape, { kind: 'text' }> }) {
  const { value, change, shape, about } = props
  const isHidden = value === redacted
  const text = typeof value === 'string' && !isHidden ? value : ''
  const placeholder = isHidden ? 'hidden' : undefined
  const [wasSet] = useState(text !== '')
  // An emptied text is null where it may be. A text that there was is empty then, and not left as it was.
  const write = (next: string) => change(next !== '' ? next : taken(props) === undefined && wasSet ? '' : taken(props))
  if (shape.isSecret)
    return (
      <PasswordInput
        {...about}
        value={text}
        placeholder={placeholder}
        onChange={({ currentTarget }) => write(currentTarget.value)}
        autoComplete="new-password"
      />
    )
  if (shape.isLong)
    return (
      <Textarea
        {...about}
        value={text}
        onChange={({ currentTarget }) => write(currentTarget.value)}
        autosize
        minRows={3}
        maxRows={16}
        dir="auto"
      />
    )
  const type = shape.format === 'email' ? 'email' : shape.format === 'uri' ? 'url' : 'text'
  return (
    <TextInput
      {...about}
      type={type}
      value={text}
      placeholder={placeholder}
      onChange={({ currentTarget }) => write(currentTarget.value)}
      dir="auto"
      autoComplete="off"
    />
  )
}

function NumberField(props: Known & { digits: number; unit?: string | undefined; isInteger: boolean }) {
  const { value, change, described, digits, unit, isInteger, about } = props
  const scale = 10 ** digits
  const { minimum, maximum } = described.schema
  return (
    <NumberInput
      {...about}
      value={typeof value === 'number' ? value / scale : ''}
      onChange={(next) =>
        change(next === '' || Number.isNaN(Number(next)) ? taken(props) : Math.round(Number(next) * scale * 1e6) / 1e6)
      }
      decimalScale={isInteger ? digits : 6}
      fixedDecimalScale={digits > 0 && isInteger}
      min={minimum === undefined || minimum < -1e12 ? undefined : minimum / scale}
      max={maximum === undefined || maximum > 1e12 ? undefined : maximum / scale}
      clampBehavior="none"
      hideControls={digits > 0}
      rightSection={unit ? <span className={classes.unit}>{unit}</span> : undefined}
      rightSectionWidth={unit ? 52 : undefined}
      thousandSeparator=","
      step={1}
    />
  )
}

function TimeField(props: Known) {
  const { zone } = useHere()
  const { value, change, about } = props
  const [text, setText] = useState(typeof value === 'number' ? wallClock(value, zone).slice(0, 16) : '')
  const [isPartial, setPartial] = useState(false)
  useBroken(isPartial)
  return (
    <TextInput
      {...about}
      type="datetime-local"
      value={text}
      error={isPartial ? 'This is no whole date and time.' : about.error}
      onBlur={({ currentTarget }) => setPartial(currentTarget.validity.badInput)}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        setPartial(false)
        change(unixOf(currentTarget.value, zone) ?? taken(props))
      }}
      rightSection={
        <Tooltip label={`Time of ${zone}`}>
          <span className={classes.zone}>{zone.split('/').at(-1)?.replaceAll('_', ' ')}</span>
        </Tooltip>
      }
      rightSectionWidth={110}
    />
  )
}

/** `isVerbatim`: the values are names that a person has given. */
function ChoiceField(props: Known & { values: readonly (string | number)[]; isVerbatim?: boolean }) {
  const { value, change, described, values, isRequired, isVerbatim, about } = props
  return (
    <Select
      {...about}
      data={values.map((one) => ({
        value: String(one),
        label: typeof one === 'number' || isVerbatim ? String(one) : wordsOf(one),
      }))}
      value={value === undefined || value === null ? null : String(value)}
      onChange={(next) => change(next === null ? taken(props) : values.find((one) => String(one) === next))}
      clearable={!isRequired}
      searchable={values.length > 8}
      placeholder={
        described.schema.default === undefined ? 'Choose' : `${wordsOf(String(described.schema.default))} by default`
      }
    />
  )
}

function BooleanField({ value, change, described, about: { label, description, error } }: Known) {
  if (described.isNullable)
    return (
      <Select
        label={label}
        description={description}
        error={error}
        data={yesOrNo}
        value={typeof value === 'boolean' ? String(value) : null}
        onChange={(next) => change(next === null ? null : next === 'true')}
        clearable
      />
    )
  const standard = described.schema.default === true || /\btrue by default/i.test(described.description)
  // Next to a button of the same name, a verb has to say what it is done to: `True cancels the order`.
  const [, object = ''] = /^True \w+s( the \w+)/.exec(described.description) ?? []
  return (
    <Switch
      label={`${label}${object}`}
      description={description}
      error={error}
      checked={typeof value === 'boolean' ? value : standard}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
  )
}

type JsonProps = Partial<About> & Pick<FieldProps, 'value' | 'change'> & { rows?: number }

/** JSON, for values in a shape that no schema describes. */
export function JsonField({ label, description, error, value, change, required = false, rows = 4 }: JsonProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  const [isBroken, setBroken] = useState(false)
  useBroken(isBroken)
  return (
    <Textarea
      label={label}
      description={description}
      required={required}
      error={isBroken ? 'This is not valid JSON.' : error}
      value={text}
      spellCheck={false}
      autosize
      minRows={rows}
      maxRows={24}
      dir="ltr"
      classNames={{ input: classes.code }}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        try {
          change(currentTarget.value.trim() === '' ? undefined : JSON.parse(currentTarget.value))
          setBroken(false)
        } catch {
          setBroken(true)
        }
      }}
    />
  )
}

const kinds = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'json', label: 'JSON' },
]
const kindNames: Record<string, string> = { number: 'number', boolean: 'boolean', undefined: 'text', string: 'text' }
const kindOf = (value: unknown) => kindNames[typeof value] ?? 'json'

/** A value of any kind: its kind is chosen beside it. */
function AnyField({ value, change, item, about }: Known) {
  const { tree, place } = useForm()
  const [kind, setKind] = useState(kindOf(value))
  const begin: Record<string, unknown> = { text: '', number: undefined, boolean: false, json: undefined }
  // A value may be the id of a record that its type names: `media`.
  const list = kind === 'text' && typeof item.type === 'string' && listNamed(tree, `${item.type}_id`, place, item)
  if (list)
    return (
      <RecordSelect
        list={list}
        value={typeof value === 'string' && value !== '' ? value : null}
        change={(next) => change(next ?? undefined)}
        label={about.label}
        error={about.error}
      />
    )
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <div className={classes.grow}>
        {kind === 'text' && (
          <Textarea
            {...about}
            value={typeof value === 'string' ? value : ''}
            onChange={({ currentTarget }) => change(currentTarget.value)}
            autosize
            minRows={1}
            maxRows={12}
            dir="auto"
          />
        )}
        {kind === 'number' && (
          <NumberInput
            {...about}
            value={typeof value === 'number' ? value : ''}
            onChange={(next) => change(next === '' || Number.isNaN(Number(next)) ? undefined : Number(next))}
          />
        )}
        {kind === 'boolean' && (
          <Switch
            label={about.label}
            description={about.description}
            error={about.error}
            checked={value === true}
            onChange={({ currentTarget }) => change(currentTarget.checked)}
          />
        )}
        {kind === 'json' && <JsonField {...about} value={value} change={change} />}
      </div>
      <Select
        w={120}
        data={kinds}
        value={kind}
        allowDeselect={false}
        aria-label={`Kind of ${about.label}`}
        onChange={(next) => {
          if (!next) return
          setKind(next)
          change(begin[next])
        }}
      />
    </Group>
  )
}

function IdField(props: Known) {
  const { tree, place } = useForm()
  const { name, value, change, described, item, about } = props
  // An entry that is named by nothing but its id: the text says of what.
  const [, noun] = (name === 'id' && /^Identifier of an? (?:existing )?(\w+)/.exec(described.description)) || []
  const list = listNamed(tree, noun ? `${noun}_id` : name, place, item)
  const write = (next: string | null) => change(next || taken(props))
  const text = typeof value === 'string' ? value : ''
  if (list)
    return (
      <RecordSelect
        list={list}
        value={text || null}
        change={write}
        label={about.label}
        description={about.description}
        error={about.error}
        isRequired={about.required}
      />
    )
  return (
    <TextInput
      {...about}
      value={text}
      onChange={({ currentTarget }) => write(currentTarget.value.trim())}
      placeholder="Id"
      dir="ltr"
      autoComplete="off"
    />
  )
}

type FrameProps = { about: About; pointer: string; children: ReactNode; actions?: ReactNode; isEmpty?: boolean }

/** A group of fields. While it is empty, it is no more than its name and what can be added. */
function Frame({ about, pointer, children, actions, isEmpty = false }: FrameProps) {
  const { faults } = useForm()
  return (
    <fieldset
      className={classes.group}
      data-empty={isEmpty || undefined}
      data-fault={hasFault(faults, pointer) || undefined}
    >
      <legend>
        {about.label}
        {about.required && <span aria-hidden="true"> *</span>}
      </legend>
      {about.description && <p className={classes.about}>{about.description}</p>}
      {children}
      {actions}
      {about.error && <p className={classes.fault}>{about.error}</p>}
    </fieldset>
  )
}

type ToolProps = { icon: 'up' | 'down' | 'trash'; label: string; act(): void; isOff?: boolean }

function Tool({ icon, label, act, isOff = false }: ToolProps) {
  return (
    <ActionIcon
      size="sm"
      variant="transparent"
      color="gray"
      aria-label={label}
      disabled={isOff}
      onClick={(event) => {
        event.preventDefault()
        act()
      }}
    >
      <Icon name={icon} size={14} />
    </ActionIcon>
  )
}

const AddButton = ({ what, add }: { what: string; add(): void }) => (
  <Button size="compact-sm" variant="default" mt="xs" leftSection={<Icon name="plus" size={14} />} onClick={add}>
    Add {what.toLowerCase()}
  </Button>
)

const singularOf = (name: string) =>
  wordsOf(name)
    .replace(/ IDs$/, '')
    .replace(/ies$/, 'y')
    .replace(/(?<=x|ch|ss|us)es$|(?<!s)s$/, '')

let lastKey = 0
/** Entries have no identity but their place; what is typed in one belongs to it, also after it was moved. */
function useKeys(count: number): number[] {
  const [keys] = useState<number[]>([])
  while (keys.length < count) keys.push(++lastKey)
  return keys
}

function ListField(props: Known & { of: Schema }) {
  const { tree, faults } = useForm()
  const { name, value, change, described, of, pointer, currency, about, item: around } = props
  const item = describe(name, of, tree.schemas)
  const values = Array.isArray(value) ? value : []
  const keys = useKeys(values.length)
  const [added, setAdded] = useState<number>()
  const choices = item.shape.kind === 'choice' ? item.shape.values : undefined
  if (choices || (item.shape.kind === 'text' && !item.shape.isLong))
    return (
      <TagsInput
        {...about}
        value={values.map(String)}
        onChange={(texts) => change(texts.map((text) => choices?.find((one) => String(one) === text) ?? text))}
        data={choices?.map(String)}
        placeholder={choices ? 'Choose' : 'Type and press Enter'}
        dir="auto"
        splitChars={choices ? [','] : []}
      />
    )
  const move = (from: number, to: number) => {
    const next = [...values]
    for (const list of [keys, next]) list.splice(to, 0, ...list.splice(from, 1))
    change(next)
  }
  const remove = (index: number) => {
    keys.splice(index, 1)
    change(values.toSpliced(index, 1))
  }
  const one = singularOf(name)
  // Entries that pages look for by their keys.
  const hasKey = (key: unknown) => values.some((entry) => isObject(entry) && entry.key === key)
  const examples = [described.schema.examples?.[0] ?? []].flat().filter((entry) => !hasKey(entry.key))
  return (
    <Frame
      about={about}
      pointer={pointer}
      isEmpty={values.length === 0}
      actions={
        <Group gap="xs">
          {[...examples, undefined].map((example) => (
            <AddButton
              key={String(example?.key)}
              what={example ? String(example.key) : one}
              add={() => {
                setAdded(lastKey + 1)
                const begun = beginning(name, of, tree.schemas) ?? (item.shape.kind === 'object' ? {} : undefined)
                change([...values, example ? { ...example } : begun])
              }}
            />
          ))}
        </Group>
      }
    >
      {values.map((entry, index) => {
        const at = pointerTo(pointer, index)
        const title = isObject(entry) && labelOf(entry) !== 'Record' ? labelOf(entry) : `${one} ${index + 1}`
        return (
          <details
            key={keys[index]}
            className={classes.entry}
            open={values.length <= 3 || added === keys[index] || hasFault(faults, at)}
          >
            <summary>
              <span dir="auto">{title}</span>
              <Tool icon="up" label={`Move ${title} up`} isOff={index === 0} act={() => move(index, index - 1)} />
              <Tool
                icon="down"
                label={`Move ${title} down`}
                isOff={index === values.length - 1}
                act={() => move(index, index + 1)}
              />
              <Tool icon="trash" label={`Remove ${title}`} act={() => remove(index)} />
            </summary>
            <div>
              <Field
                name={name}
                label={`${one} ${index + 1}`}
                schema={of}
                value={entry}
                change={(next) => change(values.with(index, next))}
                pointer={at}
                // Its list may depend on what is beside it: entries of a taxonomy are those below it.
                item={item.shape.kind === 'id' ? around : {}}
                currency={currency}
                isInner
              />
            </div>
          </details>
        )
      })}
    </Frame>
  )
}

function MapField({ value, change, of, pointer, currency, about }: Known & { of: Schema }) {
  const { tree } = useForm()
  // Two entries may have one name while it is typed: as an object, one of them would be lost.
  const [entries, setEntries] = useState(() =>
    Object.entries(isObject(value) ? value : {}).map(([name, one]) => ({ key: ++lastKey, name, value: one })),
  )
  const names = entries.map(({ name }) => name)
  const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name)
  useBroken(names.some(isTwice))
  const [isHidden] = useState(() => entries.some((entry) => entry.value === redacted))
  // An entry that is shown without a text is sent with an empty one, and not left out.
  const unset = describe('value', of, tree.schemas).shape.kind === 'text' ? '' : undefined
  const write = (next: typeof entries) => {
    setEntries(next)
    change(Object.fromEntries(next.map((entry) => [entry.name, entry.value ?? unset])))
  }
  return (
    <Frame
      about={about}
      pointer={pointer}
      isEmpty={entries.length === 0}
      actions={
        <AddButton what="entry" add={() => write([...entries, { key: ++lastKey, name: '', value: undefined }])} />
      }
    >
      {isHidden && (
        <p className={classes.about}>
          The stored values are hidden. A change replaces all of them: type every value again.
        </p>
      )}
      {entries.map((entry, index) => (
        <div key={entry.key} className={classes.pair}>
          <TextInput
            label="Name"
            value={entry.name}
            error={isTwice(entry.name) && 'Another entry has this name.'}
            onChange={({ currentTarget }) => write(entries.with(index, { ...entry, name: currentTarget.value }))}
            dir="auto"
          />
          <Field
            name={entry.name || 'value'}
            label="Value"
            schema={of}
            value={entry.value}
            change={(next) => write(entries.with(index, { ...entry, value: next }))}
            pointer={pointerTo(pointer, entry.name)}
            item={{}}
            currency={currency}
          />
          <div className={classes.beside}>
            <Tool
              icon="trash"
              label={`Remove ${entry.name || 'the entry'}`}
              act={() => write(entries.toSpliced(index, 1))}
            />
          </div>
        </div>
      ))}
    </Frame>
  )
}

type ObjectShape = Extract<Shape, { kind: 'object' }>
type ObjectProps = Pick<FieldProps, 'pointer' | 'currency'> & {
  shape: Pick<ObjectShape, 'properties' | 'required'>
  value: Item
  change(value: Item): void
  names?: readonly string[]
}

/** The fields of an object, without a frame. */
export function ObjectFields({ shape, value, change, pointer, currency: around, names }: ObjectProps) {
  const { tree, markets } = useForm()
  const currency = currencyIn(value, markets, around)
  const shown = Object.entries(shape.properties).filter(([name, schema]) =>
    names ? names.includes(name) : isWritable(schema, tree.schemas),
  )
  const later = ([name]: [string, Schema]) => Number(!shape.required.includes(name))
  const ordered = names
    ? names.flatMap((name) => shown.filter(([one]) => one === name))
    : shown.toSorted((one, other) => later(one) - later(other))
  return (
    <div className={classes.fields}>
      {ordered.map(([name, schema]) => (
        <Field
          key={name}
          name={name}
          schema={schema}
          value={value[name]}
          change={(next) => change({ ...value, [name]: next })}
          pointer={pointerTo(pointer, name)}
          isRequired={shape.required.includes(name)}
          item={value}
          currency={currency}
        />
      ))}
    </div>
  )
}

function ObjectField(props: Known & { shape: ObjectShape; isInner: boolean }) {
  const { tree } = useForm()
  const { name, value, change, described, shape, pointer, currency, isRequired, isInner, about } = props
  const fields = isObject(value) && (
    <ObjectFields shape={shape} value={value} change={change} pointer={pointer} currency={currency} />
  )
  if (isInner)
    return fields || <ObjectFields shape={shape} value={{}} change={change} pointer={pointer} currency={currency} />
  if (!fields)
    return (
      <div>
        <AddButton what={wordsOf(name)} add={() => change(beginning(name, described.schema, tree.schemas) ?? {})} />
        {about.error && <p className={classes.fault}>{about.error}</p>}
      </div>
    )
  return (
    <Frame
      about={about}
      pointer={pointer}
      actions={
        !isRequired && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            mt="sm"
            onClick={() => change(described.isNullable ? null : undefined)}
          >
            Remove {wordsOf(name).toLowerCase()}
          </Button>
        )
      }
    >
      {fields}
    </Frame>
  )
}

function UnionField(props: Known & { shape: Extract<Shape, { kind: 'union' }>; isInner: boolean }) {
  const { tree } = useForm()
  const { name, value, change, described, shape, pointer, currency, item, isRequired, isInner, about } = props
  const { options, by } = shape
  const ofValue = () => {
    if (value === undefined || value === null) return -1
    if (by !== undefined && isObject(value)) return options.findIndex((option) => option.constant === String(value[by]))
    const kind = Array.isArray(value) ? 'list' : isObject(value) ? 'object' : typeof value
    return options.findIndex((option) => {
      const known = describe(name, option.schema, tree.schemas).shape.kind
      return kind === 'list' || kind === 'object'
        ? known === kind || (kind === 'object' && ['map', 'free'].includes(known))
        : !['list', 'object', 'map', 'free'].includes(known)
    })
  }
  const [chosen, setChosen] = useState(ofValue)
  const option = options[chosen]
  const inner = option && describe(name, option.schema, tree.schemas)
  const properties =
    inner?.shape.kind === 'object'
      ? Object.fromEntries(Object.entries(inner.shape.properties).filter(([one]) => one !== by))
      : undefined
  const body = (
    <Stack gap="sm">
      <Select
        label={isInner ? 'Kind' : undefined}
        aria-label={isInner ? undefined : `Kind of ${about.label}`}
        data={options.map(({ label }, at) => ({ value: String(at), label }))}
        value={chosen < 0 ? null : String(chosen)}
        placeholder="Choose a kind"
        clearable={!isRequired}
        searchable={options.length > 8}
        onChange={(next) => {
          const at = next === null ? -1 : Number(next)
          setChosen(at)
          const begun = options[at]
          change(begun ? beginningOf(begun, by, tree.schemas) : described.isNullable ? null : undefined)
        }}
      />
      {option &&
        (properties && inner?.shape.kind === 'object' ? (
          <ObjectFields
            key={chosen}
            shape={{ ...inner.shape, properties }}
            value={isObject(value) ? value : {}}
            change={change}
            pointer={pointer}
            currency={currency}
          />
        ) : (
          <Field
            key={chosen}
            name={name}
            label="Value"
            schema={option.schema}
            value={value}
            change={change}
            pointer={pointer}
            item={item}
            currency={currency}
          />
        ))}
    </Stack>
  )
  return isInner ? (
    body
  ) : (
    <Frame about={about} pointer={pointer}>
      {body}
    </Frame>
  )
}

/** `isInner`: it is framed and named already, as an entry of a list. */
export function Field({ isInner = false, ...props }: FieldProps & { isInner?: boolean }) {
  const { tree, markets } = useForm()
  const described = describe(props.name, props.schema, tree.schemas)
  const { shape } = described
  const { currency } = props
  const all = { ...props, described, about: useAbout(props, described) }
  switch (shape.kind) {
    case 'text':
      return /^market(_?key)?$/i.test(props.name) && markets.size > 0 ? (
        <ChoiceField {...all} values={[...markets.keys()]} isVerbatim />
      ) : (
        <TextField {...all} shape={shape} />
      )
    case 'time':
      return <TimeField {...all} />
    case 'money':
      return <NumberField {...all} digits={currency ? minorDigits(currency) : 0} unit={currency ?? 'minor'} isInteger />
    case 'share':
      return <NumberField {...all} digits={2} unit="%" isInteger />
    case 'bytes':
      return <NumberField {...all} digits={0} unit="bytes" isInteger />
    case 'number':
      return <NumberField {...all} digits={0} isInteger={shape.isInteger} />
    case 'choice':
      return <ChoiceField {...all} values={shape.values} />
    case 'boolean':
      return <BooleanField {...all} />
    case 'id':
      return <IdField {...all} />
    case 'list':
      return <ListField {...all} of={shape.item} />
    case 'map':
      return <MapField {...all} of={shape.value} />
    case 'object':
      return <ObjectField {...all} shape={shape} isInner={isInner} />
    case 'union':
      return <UnionField {...all} shape={shape} isInner={isInner} />
    case 'any':
      return <AnyField {...all} />
    default:
      return <JsonField {...all.about} value={props.value} change={props.change} />
  }
}
