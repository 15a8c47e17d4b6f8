// Figures of a post: the reads of each network, and their answers. A figure that the network does not report is null,
// never 0.
import { objectIn } from '../social/answers.ts'
import { type MetricName, type MetricValues, metricNames, type Placement } from '../social/networks/capability.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import type { Access, SocialRequest } from '../social/networks/request.ts'

const isStory = (placement: Placement | null): boolean => placement === 'story'
export const hasComments = (placement: Placement | null): boolean => !isStory(placement)

/** Figures that the network does not report of such a post. */
export function unsupportedMetrics(type: NetworkType, placement: Placement | null): MetricName[] {
  const { capability, metrics } = networks[type]
  const reported = isStory(placement) ? (metrics.of_story ?? capability.metrics) : capability.metrics
  return metricNames.filter((name) => !reported.includes(name))
}

/** The reads that together have the figures of a post. `post`: the network's id. */
export const metricsRequests = (
  type: NetworkType,
  of: { post: string; placement: Placement | null },
  access: Access,
): SocialRequest[] => networks[type].metrics.requests(of, access)

/** The figures of the answers to all reads. Null if one of them holds no figures. */
export function metricValues(type: NetworkType, bodies: readonly unknown[]): MetricValues | null {
  const all: Partial<MetricValues> = {}
  for (const body of bodies) {
    const found = networks[type].metrics.values(objectIn(body))
    if (!found) return null
    Object.assign(all, found)
  }
  return Object.fromEntries(metricNames.map((name) => [name, all[name] ?? null])) as MetricValues
}

export const noMetrics: Readonly<MetricValues> = Object.fromEntries(
  metricNames.map((name) => [name, null]),
) as MetricValues
