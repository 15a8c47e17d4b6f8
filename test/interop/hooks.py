# What schemathesis has to know of our media types: a received mail is sent as the text that was generated for it.
import schemathesis

schemathesis.serializer.alias("message/rfc822", "text/plain")
