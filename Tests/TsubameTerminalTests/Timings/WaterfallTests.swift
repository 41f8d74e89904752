// WaterfallTests: durations and their bars.
import Testing
import TsubameTerminal

@Suite struct WaterfallTests {
    private func drawn(_ hops: [HopTimes], width: Int = 60, isUnicode: Bool = false) -> String {
        var canvas = Canvas(theme: nil, isTerminal: true)
        Waterfall(hops).draw(width: width, isUnicode: isUnicode, on: &canvas)
        return String(decoding: canvas.finish(), as: UTF8.self)
    }

    private func span(_ phase: HopTimes.Phase, _ start: Int, _ end: Int) -> HopTimes.Span {
        HopTimes.Span(phase: phase, start: .milliseconds(start), end: .milliseconds(end))
    }

    @Test(arguments: [
        (Duration.zero, "0.00 ms"), (.microseconds(870), "0.87 ms"), (.microseconds(9999), "9.99 ms"),
        (.microseconds(45_678), "45.6 ms"), (.milliseconds(999), "999.0 ms"), (.milliseconds(1234), "1.234 s"),
        (.seconds(61), "61.000 s"), (.seconds(-1), "0.00 ms"), (.nanoseconds(-1), "0.00 ms"),
        (.seconds(Int64.max), "1000000000.000 s"),
    ])
    func aDurationHasThreeDigitsOrSo(duration: Duration, text: String) {
        #expect(DurationText.short(duration) == text)
    }

    @Test func secondsAreGivenToTheMicrosecond() {
        #expect(DurationText.seconds(.microseconds(1_234_567)) == "1.234567s")
        #expect(DurationText.seconds(.microseconds(5)) == "0.000005s")
    }

    @Test func barsBeginWhereTheirPartsDo() {
        var first = HopTimes(request: "GET http://a/")
        (first.status, first.outcome, first.connection) = (302, "Found", "192.0.2.1:80, HTTP/1.1, new connection")
        first.spans = [
            span(.resolving, 0, 10), span(.connecting, 10, 20), span(.sending, 20, 20), span(.waiting, 20, 40),
        ]
        var second = HopTimes(request: "GET http://a/b")
        second.outcome = "timeout"
        second.spans = [span(.waiting, 40, 80)]
        #expect(
            drawn([first, second], width: 62) == """
                GET http://a/ -> 302 Found
                  192.0.2.1:80, HTTP/1.1, new connection
                  DNS        10.0 ms  #####
                  connect    10.0 ms       #####
                  send       0.00 ms            |
                  wait       20.0 ms            ##########

                GET http://a/b -> timeout
                  wait       40.0 ms                      ####################
                  total      80.0 ms

                """)
    }

    @Test func nothingIsWiderThanTheLine() {
        var hop = HopTimes(request: "GET /")
        hop.spans = [span(.queued, 5, 6), span(.waiting, 6, 1006), span(.receiving, 1006, 1006)]
        for width in [0, 1, 29, 30, 31, 80, 10_000, .max] {
            let lines = drawn([hop], width: width, isUnicode: true).split(separator: "\n")
            #expect(lines.dropFirst().allSatisfy { $0.count <= max(min(width, 1000), 20) })
        }
    }

    @Test func aCallThatDidNothingHasAWaterfall() {
        #expect(drawn([]) == "  total      0.00 ms\n")
        #expect(drawn([HopTimes(request: "GET /")]) == "GET /\n  total      0.00 ms\n")
    }

    @Test func aServersWordsCannotSteerTheTerminal() {
        var hop = HopTimes(request: "GET http://a/")
        (hop.status, hop.outcome) = (200, "\u{1B}]0;x\u{7}")
        #expect(drawn([hop]).hasPrefix("GET http://a/ -> 200 ␛]0;x␇\n"))
    }
}
