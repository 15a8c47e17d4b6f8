# A foreign mail server: aiosmtpd with STARTTLS and AUTH. Prints its port, then a line of JSON per recipient and message.
# An address that begins with "grey" is answered 451 4.7.1 the first time and accepted later, as greylisting servers do.
import asyncio, datetime, ipaddress, json, ssl, sys, time
from pathlib import Path

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

folder, user, password = Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def say(**what):
    print(json.dumps({"at": time.time()} | what), flush=True)


def certificate() -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(names, critical=False).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "mail.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "mail.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "mail.crt", folder / "mail.key")
    return context


def authenticate(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and data.login == user.encode() and data.password == password.encode()
    say(auth=mechanism, good=good, tls=session.ssl is not None)
    return AuthResult(success=good, handled=False)


class Handler:
    seen: set[str] = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("grey") and address not in self.seen:
            self.seen.add(address)
            say(rcpt=address, answer=451)
            return "451 4.7.1 Greylisted, please try again later"
        say(rcpt=address, answer=250)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        say(message=envelope.content.decode("utf-8", "replace"), to=envelope.rcpt_tos, tls=session.ssl is not None, authenticated=session.authenticated)
        return "250 2.0.0 Accepted"


async def main():
    context = certificate()
    make = lambda: SMTP(
        Handler(), hostname="localhost", tls_context=context, require_starttls=True, auth_required=True, auth_require_tls=True, authenticator=authenticate
    )
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", 0)
    say(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
