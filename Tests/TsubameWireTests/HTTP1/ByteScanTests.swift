// ByteScanTests: each search against a slow one, for every byte at every place of short and long runs.

import Testing

@testable import TsubameWire

@Suite struct ByteScanTests {
    private static let tokens = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    /// Compares a search with one that looks at each byte. Behind the run stands a byte that ends every search, or
    /// memory that cannot be read.
    private func compare(
        _ search: (UnsafeRawPointer, Int, Int) -> Int?, stops: (UInt8) -> Bool, filler: UInt8 = UInt8(ascii: "x"),
        without: (Int) -> Int? = { $0 }
    ) -> String? {
        let memory = GuardedMemory(capacity: 100)
        for length in [0, 1, 2, 15, 16, 17, 33] {
            for place in 0..<max(length, 1) {
                for byte in UInt8.min...UInt8.max {
                    var run = [UInt8](repeating: filler, count: length)
                    if length > 0 { run[place] = byte }
                    for (start, behind) in [(0, []), (0, [0x0A]), (3, []), (3, [0x0A])] as [(Int, [UInt8])]
                    where start <= length {
                        let expected = run[start...].firstIndex(where: stops) ?? without(length)
                        let found = memory.copy(of: run + behind).baseAddress.flatMap { search($0, start, length) }
                        if found != expected { return "byte \(byte) at \(place) of \(length), from \(start)" }
                    }
                }
            }
        }
        return nil
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    @Test func `control characters are found`() {
        #expect(compare(ByteScan.firstControl, stops: Self.isControl) == nil)
        #expect(compare(ByteScan.valueEnd, stops: { Self.isControl($0) && $0 != 0x09 }) == nil)
    }

    @Test func `the end of a token is found`() {
        #expect(compare(ByteScan.tokenEnd, stops: { !Self.tokens.contains($0) }) == nil)
        #expect(compare(ByteScan.tokenEnd, stops: { !Self.tokens.contains($0) }, filler: UInt8(ascii: "1")) == nil)
    }

    @Test func `the end of a name of HTTP/2 is found, with and without bytes behind it`() {
        let stops = { (byte: UInt8) in !Self.tokens.contains(byte) || (0x41...0x5A).contains(byte) }
        for filler in [UInt8(ascii: "x"), UInt8(ascii: "-"), UInt8(ascii: "1")] {
            #expect(
                compare({ ByteScan.lowercaseTokenEnd($0, $1, $2, $2) }, stops: stops, filler: filler) == nil)
        }
        let memory = GuardedMemory(capacity: 100)
        for length in 0...33 {
            // The bytes after the name are readable. They could belong to it, or not.
            for place in [nil] + (0..<(length + 40)).map(Optional.init) {
                var run = [UInt8](repeating: UInt8(ascii: "a"), count: length + 40)
                if let place { run[place] = UInt8(ascii: "A") }
                let end = memory.copy(of: run).baseAddress.map {
                    ByteScan.lowercaseTokenEnd($0, 0, length, length + 40)
                }
                #expect(end == min(place ?? length, length))
            }
        }
    }

    @Test func `a line feed is found`() {
        #expect(compare(ByteScan.firstLineFeed, stops: { $0 == 0x0A }, without: { _ in nil }) == nil)
    }

    @Test func `a byte that is no visible one is found`() {
        #expect(compare(ByteScan.firstInvisible, stops: { !(0x21...0x7E).contains($0) }) == nil)
    }

    @Test func `bytes of a token are told from others`() {
        for byte in UInt8.min...UInt8.max {
            let isToken = Self.tokens.contains(byte)
            #expect(ByteScan.isToken(byte) == isToken, "\(byte)")
            let isUppercase = (0x41...0x5A).contains(byte)
            #expect(ByteScan.isLowercaseToken(byte) == (isToken && !isUppercase), "\(byte)")
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4_079, 4_080, 4_081, 4_096, 4_112, 10_000])
    func `control characters are counted, however many there are`(_ length: Int) {
        let memory = GuardedMemory(capacity: length + 1)
        for (byte, count) in [(0x1F, length), (0x7F, length), (0x09, length), (0x20, 0), (0x80, 0)] {
            let run = [UInt8](repeating: UInt8(byte), count: length)
            for behind in [[], [0x0A]] as [[UInt8]] {
                let counted = memory.copy(of: run + behind).baseAddress.map { ByteScan.countControls($0, 0, length) }
                #expect(counted == count)
            }
        }
    }

    @Test func `a name matches in any case, and no other name does`() {
        let memory = GuardedMemory(capacity: 100)
        func matches(_ text: String, _ literal: StaticString) -> Bool {
            memory.copy(of: text.utf8).baseAddress.map { ByteScan.matches($0, text.utf8.count, literal) } ?? false
        }
        let literals: [StaticString] = [
            "te", "upgrade", "location", "keep-alive", "content-length", "transfer-encoding",
        ]
        for literal in literals {
            let text = "\(literal)"
            #expect(matches(text, literal) && matches(text.uppercased(), literal))
            #expect(!matches(text + "x", literal) && !matches(String(text.dropLast()), literal))
            for place in 0..<text.utf8.count {
                var other = Array(text.utf8)
                other[place] = other[place] == 0x7A ? 0x61 : 0x7A
                #expect(!matches(String(decoding: other, as: UTF8.self), literal), "\(literal) at \(place)")
            }
        }
    }

    @Test func `a quotation is cut behind its limit, and says so`() {
        func quoted(_ text: String) -> String { Array(text.utf8).withUnsafeBytes { Quotation.of($0, upTo: 4) } }
        #expect(quoted("abcd") == "\"abcd\"")
        #expect(quoted("abcde") == "\"abcd…\"")
    }
}
