# Judges SPF with pyspf: address, sender, name in EHLO, port of the name server.
import sys

import dns.resolver
import spf

address, sender, helo, port = sys.argv[1:]
resolver = dns.resolver.Resolver(configure=False)
resolver.nameservers = ["127.0.0.1"]
resolver.port = int(port)
dns.resolver.default_resolver = resolver
print(spf.check2(i=address, s=sender, h=helo)[0])
