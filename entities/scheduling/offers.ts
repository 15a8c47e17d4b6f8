// What a link offers: its own prices and durations before those of its service, and the limit of its provider before
// its own.
import { addDays } from '../../rules/scheduling/scheduling.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'

/** Names of the rows in a statement: of service_providers, services and providers. */
type Rows = { link: string; service: string; provider: string }

/** Durations replace those of the service as a whole; prices do by market. */
export const offerOf = ({
  link,
  service,
  provider,
}: Rows): Record<'prices' | 'segments' | 'durations' | 'concurrent_limit', Sql> => {
  const steps = (name: string) =>
    text(`case when ${link}.durations = '[]' then ${service}.${name} else ${link}.${name} end`)
  return {
    prices: text(`
      case
        when ${service}.prices = '[]' then ${link}.prices
        else ${link}.prices || (
          select coalesce(jsonb_agg(o.price order by o.place), '[]')
          from jsonb_array_elements(${service}.prices) with ordinality as o(price, place)
          where not ${link}.prices @> jsonb_build_array(jsonb_build_object('market', o.price -> 'market'))
        )
      end
    `),
    segments: steps('segments'),
    durations: steps('durations'),
    concurrent_limit: text(`coalesce(${provider}.concurrent_limit, ${link}.concurrent_limit)`),
  }
}

/**
 * The hours of single dates of a link, for slots that start from `first` to `last`; of a link with many dates those
 * alone, as all of them may take a megabyte. Hours of the day before may last until the first.
 */
export const datesBetween = (link: string, first: string, last: string): Sql => {
  const dates = text(`${link}.specific_dates`)
  const path = '$[*] ? (@.date >= $first && @.date <= $last)'
  return sql`
    case
      when pg_column_size(${dates}) < 2000 then ${dates}
      else jsonb_path_query_array(${dates}, ${path}::jsonpath, ${json({ first: addDays(first, -1), last })})
    end
  `
}
