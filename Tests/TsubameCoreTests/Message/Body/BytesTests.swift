// BytesTests: Bytes, the one container of bytes that users see.

import Foundation
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

    @Test(arguments: [1, 5, 100, 100_000])
    func `a change of the data changes no bytes`(count: Int) {
        let bytes = Bytes(repeatElement(1, count: count))
        let other = bytes
        var data = Data(bytes)
        data[0] = 2
        data.withUnsafeMutableBytes { (memory: UnsafeMutableRawBufferPointer) in memory[count - 1] = 3 }
        #expect(bytes.allSatisfy { $0 == 1 } && other == bytes && data.count == count)
    }
}
