/// DKIM (RFC 6376, 8301, 8463): signatures of domains over header and body, made and checked.
///
/// Both work on octets: [Canonicalization] and [BodyHash] take a message as it streams, [RawHeader]
/// has its fields. [DkimVerifier] judges the signatures of a message, [DkimSigner] makes them. Chains of
/// ARC are judged by the same [SignatureJudge]. Nothing here has a socket, a file, a thread or a clock.
package org.slipstream.auth.dkim;
