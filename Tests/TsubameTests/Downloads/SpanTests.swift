// SpanTests: ByteSpans, the ranges of bytes that exist.

import Testing

@testable import Tsubame

struct SpanTests {
    private func spans(_ list: Range<Int64>...) -> ByteSpans {
        var spans = ByteSpans()
        for span in list { spans.add(span) }
        return spans
    }

    @Test func `spans that touch are one, in whatever order they come`() {
        #expect(spans(0..<5, 5..<9).list == [0..<9])
        #expect(spans(5..<9, 0..<5).list == [0..<9])
        #expect(spans(0..<2, 4..<6, 2..<4).list == [0..<6])
        #expect(spans(0..<2, 8..<9, 1..<8).list == [0..<9])
        #expect(spans(3..<3).list.isEmpty && spans(0..<5, 2..<3).list == [0..<5])
        #expect(spans(0..<2, 4..<6, 5..<5).count == 4)
    }

    @Test func `a gap is what is missing first`() {
        let some = spans(0..<10, 20..<30)
        #expect(some.gap(in: 0..<40) == 10..<20)
        #expect(some.gap(in: 15..<40) == 15..<20)
        #expect(some.gap(in: 20..<30) == nil && some.gap(in: 5..<9) == nil)
        #expect(some.gap(in: 25..<40) == 30..<40)
        #expect(ByteSpans().gap(in: 0..<Int64.max) == 0..<Int64.max)
        #expect(some.clipped(to: 25).list == [0..<10, 20..<25] && some.clipped(to: 10).list == [0..<10])
    }

    @Test func `all orders of ten pieces come to the whole`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var spans = ByteSpans()
            for index in (0..<10).shuffled(using: &random) { spans.add(Int64(index * 7)..<Int64(index * 7 + 7)) }
            #expect(spans.list == [0..<70])
        }
    }
}
