// SHA256Tests: the vectors of FIPS 180-4, and every length around a block's end, compared with another
// implementation.

import Testing
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SHA256Tests {
    private func digest(_ message: [UInt8]) -> String {
        SHA256.digest(message).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// The bytes 0, 1, 2, … up to `count` of them.
    private func counting(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                + "nopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `the messages of FIPS 180-4 have their digests`(_ message: String, _ expected: String) {
        #expect(digest(Array(message.utf8)) == expected)
    }

    @Test func `so has a million times the letter a`() {
        let message = [UInt8](repeating: 0x61, count: 1_000_000)
        #expect(digest(message) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// Computed by Python's hashlib.
    @Test(arguments: [
        (55, "463eb28e72f82e0a96c0a4cc53690c571281131f672aa229e0d45ae59b598b59"),
        (56, "da2ae4d6b36748f2a318f23e7ab1dfdf45acdc9d049bd80e59de82a60895f562"),
        (63, "29af2686fd53374a36b0846694cc342177e428d1647515f078784d69cdb9e488"),
        (64, "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108"),
        (65, "4bfd2c8b6f1eec7a2afeb48b934ee4b2694182027e6d0fc075074f2fabb31781"),
        (119, "da18797ed7c3a777f0847f429724a2d8cd5138e6ed2895c3fa1a6d39d18f7ec6"),
        (120, "f52b23db1fbb6ded89ef42a23ce0c8922c45f25c50b568a93bf1c075420bbb7c"),
        (128, "471fb943aa23c511f6f72f8d1652d9c880cfa392ad80503120547703e56a2be5"),
    ])
    func `where the length and its padding begin another block`(_ count: Int, _ expected: String) {
        #expect(digest(counting(count)) == expected)
    }

    @Test func `every length up to two blocks and two bytes`() {
        // Computed by Python's hashlib: the digest of all the digests.
        let all = (0...130).flatMap { SHA256.digest(counting($0)) }
        #expect(digest(all) == "e5bbbecd60c3632a3455f465bfd8b079c30ef608d2bcc34227f4e5573029020e")
    }

    @Test(arguments: [1, 7, 55, 56, 63, 64, 65, 200, 1_000]) func `in pieces it is the same`(length: Int) {
        let message = counting(1_000)
        var running = SHA256.Running()
        for start in stride(from: 0, to: message.count, by: length) {
            Array(message[start..<min(start + length, message.count)]).withUnsafeBytes { running.update($0) }
        }
        #expect(running.finish() == SHA256.digest(message))
    }

    @Test func `a server's digest is read as RFC 9530 has it, or not at all`() {
        let base64 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="
        let bytes = SHA256.digest(Array("hello".utf8))
        for field in [
            "sha-256=:\(base64):", "md5=:AAAA:, sha-256=:\(base64): ; q=1", "sha-256=:AAAA:,sha-256=:\(base64):",
        ] {
            #expect(RepresentationDigest.sha256(field) == bytes, "\(field)")
        }
        for field in [
            "", "sha-256", "sha-256=", "sha-256=::", "sha-256=:AAAA:", "sha-512=:\(base64):", "sha-256=\(base64)",
            "sha-256=:\(base64)", "sha-256=:%:", "SHA-256=:\(base64):", String(repeating: "sha-256=:A:,", count: 1_000),
        ] {
            #expect(RepresentationDigest.sha256(field) == nil, "\(field.prefix(60))")
        }
    }

    @Test func `bytes above 127 count as they are`() {
        let message = [UInt8](repeating: 0xFF, count: 200)
        #expect(digest(message) == "d0f9b20e11b4dee02da0e8da52ebeda2c6f00792f241238819f2b280ad10ba33")
        #expect(SHA256.digest(message).count == 32)
    }
}
