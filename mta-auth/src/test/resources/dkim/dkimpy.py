"""Verifies or signs the messages of a folder with Debian's python3-dkim.

dkimpy.py verify FOLDER: prints "FILE NUMBER pass|fail" for each signature of each *.eml, with the keys in FOLDER/zone.
dkimpy.py chain FOLDER: prints "FILE 0 pass|fail|none" for the chain of ARC of each *.eml.
dkimpy.py seal FOLDER: writes each *.eml with two sets of ARC on top as *.signed.
dkimpy.py sign FOLDER: writes each *.eml with a signature on top as *.signed; the canonicalization is in its name.
"""
import glob
import os
import sys

import dkim

mode, folder = sys.argv[1:]
with open(os.path.join(folder, "zone"), "rb") as lines:
    zone = dict(line.rstrip(b"\n").split(b"\t", 1) for line in lines)


def txt(name, timeout=5):
    return zone.get(name.rstrip(b".") if isinstance(name, bytes) else name.rstrip(".").encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


for path in sorted(glob.glob(os.path.join(folder, "*.eml"))):
    message = read(path)
    name = os.path.basename(path)[:-4]
    if mode == "verify":
        try:
            count = sum(1 for field, _ in dkim.DKIM(message).headers if field.lower() == b"dkim-signature")
        except dkim.DKIMException as error:
            print(name, 0, "fail", error)
            continue
        for number in range(count):
            try:
                good = dkim.DKIM(message).verify(idx=number, dnsfunc=txt)
                print(name, number, "pass" if good else "fail")
            except dkim.DKIMException as error:
                print(name, number, "fail", error)
    elif mode == "chain":
        verdict, _, reason = dkim.arc_verify(message, dnsfunc=txt)
        print(name, 0, (verdict or b"fail").decode(), reason)
    elif mode == "seal":
        for verdict in (b"none", b"pass"):
            message = b"Authentication-Results: lists%s.example.org; arc=%s; spf=pass\r\n" % (verdict, verdict) + message
            fields = dkim.arc_sign(message, b"r", b"example.org", read(os.path.join(folder, "rsa.key")),
                                   b"lists" + verdict + b".example.org", include_headers=[b"From", b"To", b"Subject", b"X-Odd"],
                                   timestamp=1790000000)
            message = b"".join(fields) + message
        with open(path[:-4] + ".signed", "wb") as file:
            file.write(message)
    else:
        algorithm, header, body = name.split("-")[-3:]
        key = read(os.path.join(folder, algorithm + ".key"))
        fields = [field for field in (b"From", b"To", b"Subject", b"Date", b"Subject", b"Cc", b"X-Odd")]
        signature = dkim.sign(message, b"r" if algorithm == "rsa" else b"e", b"example.org", key,
                              canonicalize=(header.encode(), body.encode()), include_headers=fields,
                              signature_algorithm=algorithm.encode() + b"-sha256")
        with open(path[:-4] + ".signed", "wb") as file:
            file.write(signature + message)
