// BrotliDecoderTests: brotli's own rules. They run only where libbrotlidec is installed.

import Testing
import TsubameWire

@Suite(.enabled(if: BrotliDecoder.isAvailable)) struct BrotliDecoderTests {
    private static let hello = bytes("8b028068656c6c6f2003")

    private func decode(_ pieces: [[UInt8]]) throws -> [UInt8] {
        try #require(BrotliDecoder()).decode(pieces)
    }

    @Test func otherFormsOfItAreRead() throws {
        #expect(try decode([Self.hello]) == Array("hello ".utf8))
        #expect(try decode([bytes("06")]) == [])
        // An empty metadata block, which is no content, and then the last metablock.
        #expect(try decode([bytes("0c03")]) == [])
    }

    @Test func nothingFollowsTheEnd() {
        for rest in [[0], Self.hello, Array("\n".utf8)] as [[UInt8]] {
            #expect(throws: ContentCodingError(coding: "br", reason: .trailingBytes)) {
                try decode([Self.hello + rest])
            }
            #expect(throws: ContentCodingError(coding: "br", reason: .trailingBytes)) {
                try decode([Self.hello, rest])
            }
        }
    }

    @Test("BAD-INPUT 38: a window beyond the RFC's 16 MiB is refused") func largeWindow() {
        // The code 0010001 in place of the window size announces a large window; 30 bits here.
        let error = #expect(throws: ContentCodingError.self) { try decode([bytes("111e03")]) }
        guard case .corrupt(let words) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains("WINDOW_BITS"))
    }
}
