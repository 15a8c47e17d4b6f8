// Network b (Instagram, with its own login): pictures as JPEG; a video alone is a reel.
import { publisherOf } from './containers.ts'

export const networkB = publisherOf({
  ...{
    host: 'graph.instagram.com',
    base: '/{v}',
    make: 'media',
    publish: 'media_publish',
    posts: 'media',
    text: 'caption',
    status: 'status_code',
    reason: 'status',
  },
  post({ placement, share_to_feed, caption }, file): Record<string, string> {
    if (placement === 'story') return { media_type: 'STORIES' }
    const text: Record<string, string> = caption ? { caption } : {}
    if (file?.kind !== 'video') return text
    // A video in the feed is a reel that the feed shows, too.
    return {
      ...text,
      media_type: 'REELS',
      share_to_feed: String(placement === 'reel' ? (share_to_feed ?? true) : true),
    }
  },
  file({ kind, url }, isItem): Record<string, string> {
    if (kind !== 'video') return { image_url: url }
    return isItem ? { video_url: url, media_type: 'VIDEO' } : { video_url: url }
  },
})
