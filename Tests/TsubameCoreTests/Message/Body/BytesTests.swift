// BytesTests: Bytes, the one container of bytes that users see.

import Testing
import TsubameCore

@Suite struct BytesTests {
    @Test(arguments: ["", "a", "燕 and more"])
    func theSpanHoldsTheBytes(text: String) {
        let bytes = Bytes(text)
        let span = bytes.span
        #expect(span.count == text.utf8.count)
        var copy: [UInt8] = []
        for index in span.indices { copy.append(span[index]) }
        #expect(copy == Array(text.utf8))
    }
}
