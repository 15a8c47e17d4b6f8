// The part of Stripe's browser library that opens embedded checkout, for pages in development. The Stripe simulator
// serves it; a page loads the real library where real keys are set.
;(() => {
  const origin = new URL(document.currentScript.src).origin
  let isOpen = false

  class IntegrationError extends Error {
    name = 'IntegrationError'
  }

  async function secretOf({ clientSecret, fetchClientSecret }) {
    if ((clientSecret === undefined) === (fetchClientSecret === undefined))
      throw new IntegrationError('Provide either clientSecret or fetchClientSecret.')
    const secret = clientSecret ?? (await fetchClientSecret())
    if (!/^cs_(test|live)_\w+_secret_\w+$/.test(secret))
      throw new IntegrationError(
        `Invalid client secret: expected the form \${id}_secret_\${secret}, got ${JSON.stringify(secret)}.`,
      )
    return secret
  }

  /** The form in a frame of the simulator's origin. It reports its height, and that the session is complete. */
  function checkout(secret, { key, account }, onComplete) {
    let frame = null
    let isDestroyed = false
    const listen = ({ source, origin: from, data }) => {
      if (!frame || source !== frame.contentWindow || from !== origin) return
      if (data.type === 'height') frame.style.height = `${data.height}px`
      if (data.type !== 'complete') return
      if (data.return_url === null) onComplete?.()
      else window.location.assign(data.return_url)
    }
    window.addEventListener('message', listen)
    const unmount = () => {
      frame?.remove()
      frame = null
    }
    return {
      mount(location) {
        if (isDestroyed) throw new IntegrationError('This embedded checkout was destroyed: create another one.')
        if (frame) throw new IntegrationError('This embedded checkout is mounted already.')
        const parent = typeof location === 'string' ? document.querySelector(location) : location
        if (!parent) throw new IntegrationError(`There is no element ${location} to mount embedded checkout into.`)
        frame = document.createElement('iframe')
        frame.title = 'Secure payment form'
        frame.name = 'embedded-checkout'
        frame.style.cssText = 'width: 100%; height: 420px; border: 0; color-scheme: normal'
        // Behind the hash: it is sent to no server and stands in no log.
        frame.src = `${origin}/_sim/card#${new URLSearchParams({ secret, key, ...(account ? { account } : {}) })}`
        parent.append(frame)
      },
      unmount,
      destroy() {
        unmount()
        window.removeEventListener('message', listen)
        if (!isDestroyed) isOpen = false
        isDestroyed = true
      },
    }
  }

  window.Stripe = (key, { stripeAccount } = {}) => {
    if (typeof key !== 'string' || !/^pk_(test|live)_/.test(key))
      throw new IntegrationError('Please call Stripe() with your publishable key. It begins with pk_test_ or pk_live_.')
    const open = async ({ onComplete, ...options } = {}) => {
      if (isOpen) throw new IntegrationError('You cannot have multiple embedded checkouts at a time.')
      isOpen = true
      try {
        return checkout(await secretOf(options), { key, account: stripeAccount }, onComplete)
      } catch (error) {
        isOpen = false
        throw error
      }
    }
    // Versions of the library before dahlia have the first name only.
    return { initEmbeddedCheckout: open, createEmbeddedCheckoutPage: open }
  }
})()
