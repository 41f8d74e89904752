// FuzzTarget+Files: files that programs and users write.

import Foundation
import TsubameCore
import TsubameWire

extension FuzzTarget {
    private static let now: Int64 = 1_790_000_000

    static let files = [
        FuzzTarget("har", upTo: 4_096) { bytes in
            guard let archive = try? JSONDecoder().decode(HTTPArchive.self, from: Data(bytes)) else { return }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            guard let text = try? encoder.encode(archive),
                let again = try? JSONDecoder().decode(HTTPArchive.self, from: text),
                let second = try? encoder.encode(again)
            else { throw Finding("an archive that was read cannot be written and read") }
            try requireEqual(
                String(decoding: second, as: UTF8.self), String(decoding: text, as: UTF8.self), "the archive changed")
        },
        FuzzTarget("cookies.txt", upTo: 2_048) { bytes in
            let contents = CookieText.read(bytes)
            var store = CookieStore()
            _ = store.insert(contents, now: now)
            let text = store.text(now: now)
            var again = CookieStore()
            let problems = again.insert(CookieText.read(Array(text.utf8)), now: now)
            try require(problems.isEmpty, "our own file has problems: \(problems)")
            let writable = store.cookies.filter { CookieText.canHold($0) && ($0.expires ?? .max) > now }
            try requireEqual(again.cookies, writable, "the cookies changed")
        },
        FuzzTarget("netrc", upTo: 1_024) { bytes in
            guard let netrc = try? Netrc(bytes) else { return }
            _ = netrc.entry(for: "example.test")
            _ = netrc.entry(for: "example.test", login: "user")
        },
        FuzzTarget("hsts", upTo: 1_024) { bytes in
            let entries = HSTSFile.read(String(decoding: bytes, as: UTF8.self))
            let text = HSTSFile.write(entries)
            try requireEqual(HSTSFile.write(HSTSFile.read(text)), text, "the entries changed")
        },
        FuzzTarget("certificate", upTo: 4_096) { bytes in
            guard let details = CertificateDetails(der: bytes) else { return }
            let chain = CertificateChain([bytes, bytes], isComplete: true)
            _ = chain.faults(roots: [:], now: now)
            for name in details.hostNames ?? [] {
                _ = HostnameVerifier("www.example.test").isCovered(by: Array(name.utf8))
            }
        },
        FuzzTarget("pem", upTo: 4_096) { bytes in
            for certificate in PEM.certificates(in: String(decoding: bytes, as: UTF8.self)) {
                _ = CertificateDetails(der: certificate)
                _ = RSAKeySize.bits(ofSPKI: certificate)
            }
        },
    ]
}
