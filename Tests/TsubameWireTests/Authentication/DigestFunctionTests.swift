// DigestFunctionTests: MD5, SHA-512 and SHA-512/256: known vectors, and every length up to two blocks, compared with
// another implementation.

import Testing
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct DigestFunctionTests {
    /// The functions, by their names in Digest authentication.
    enum Function: String, CaseIterable {
        case md5 = "MD5"
        case sha512 = "SHA-512"
        case sha512Half = "SHA-512-256"

        func callAsFunction(_ message: [UInt8]) -> [UInt8] {
            switch self {
            case .md5: MD5.digest(message)
            case .sha512: SHA512.digest(message)
            case .sha512Half: SHA512.digest256(message)
            }
        }

        func text(_ message: [UInt8]) -> String { DigestFunctionTests.text(self(message)) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// RFC 1321 section A.5, and NIST's examples for FIPS 180-4.
    @Test(arguments: [
        (Function.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, "a", "0cc175b9c0f1b6a831c399e269772661"),
        (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
        (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (.md5, "abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            .md5, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (
            .md5, "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "57edf4a22be3c955ac49da2e2107b67a"
        ),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .sha512,
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                + "mnopqrstnopqrstu",
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
        ),
        (.sha512Half, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (
            .sha512Half,
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                + "mnopqrstnopqrstu",
            "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
        ),
    ])
    func `the published messages have their digests`(_ function: Function, _ message: String, _ expected: String) {
        #expect(function.text(Array(message.utf8)) == expected)
    }

    /// Computed by Python's hashlib: the SHA-256 of all digests, one for each length, so that a single wrong digest
    /// shows.
    @Test(arguments: [
        (Function.md5, "b4ff135eb10866f611827005747d74d8ba4670c459d762a8164bdf8cded229b4"),
        (.sha512, "d39d1e86023c6a77c3a50988edc198432a9a433d0e52ab64f41821af77246fd1"),
        (.sha512Half, "0e69c0b56e1c0f6409cb33471a906def592e55216d2732c097ba4e379e952943"),
    ])
    func `every length up to two blocks and four bytes`(_ function: Function, _ expected: String) {
        let all = (0...260).flatMap { count in function((0..<count).map { UInt8(truncatingIfNeeded: $0) }) }
        #expect(Self.text(SHA256.digest(all)) == expected)
    }

    @Test(arguments: [
        (Function.md5, "d9d210da21772381c487e43b353da8bc"),
        (
            .sha512,
            "dcd0044a15b62bc8ebdc4ac9d14063c0b0aec2f4951230fc960fbe70ccb1b91c"
                + "f12782d8e3734d445c108a33e8b5ce5a79cd73aa547ecdaaf26bce2cc81a80c0"
        ),
        (.sha512Half, "097b2e2d4bcd44e7d0545a8bf8d8d14ff9d316130db5f68dc0e30fc9c116cc32"),
    ])
    func `bytes above 127 count as they are`(_ function: Function, _ expected: String) {
        #expect(function.text([UInt8](repeating: 0xFF, count: 200)) == expected)
    }
}
