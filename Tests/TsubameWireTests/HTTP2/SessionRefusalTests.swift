// SessionRefusalTests: requests that would change their meaning on the wire: the session refuses them and stays
// unchanged.

import HTTPTypes
import Testing
import TsubameCore
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct SessionRefusalTests {
    /// Checks that the session sends nothing, begins no stream, and uses no stream number and no table entry.
    private func refused(
        _ request: SentRequest, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var session = HTTP2Session(limits: Limits())
        var sound = SentRequest(headers: try SentRequest.fields(["before": "1"]))
        var decoder = HPACKDecoder()
        _ = try decoder.fields(of: sound.frame(in: &session).payload)
        let count = session.count
        do throws(WireError) {
            try request.open(in: &session)
            Issue.record("not refused", sourceLocation: sourceLocation)
        } catch {
            #expect(error.kind == .invalidRequest, sourceLocation: sourceLocation)
            #expect(error.description.contains(text), sourceLocation: sourceLocation)
        }
        let (after, output) = (session.count, session.output)
        #expect(after == count && output.isEmpty, sourceLocation: sourceLocation)
        sound.headers = try SentRequest.fields(["before": "1", "new": "2", "after": "3"])
        let frame = try sound.frame(in: &session)
        #expect(frame.stream == 3, sourceLocation: sourceLocation)
        let fields = try decoder.fields(of: frame.payload)
        #expect(
            fields.dropFirst(4) == [TextField("before", "1"), TextField("new", "2"), TextField("after", "3")],
            sourceLocation: sourceLocation)
    }

    /// The same after a field that the table would keep.
    private func refused(
        _ field: HTTPField, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var headers = try SentRequest.fields(["new": "2"])
        headers.append(field)
        headers.append(HTTPField(name: .userAgent, value: "x"))
        try refused(SentRequest(headers: headers), text, sourceLocation: sourceLocation)
    }

    @Test(
        "BAD-INPUT 17: a method, target or host with what they must not hold",
        arguments: ["\r", "\n", "\u{0}", " ", "é"])
    func pseudoFields(_ text: String) throws {
        try refused(SentRequest(method: "GE\(text)T"), "the method holds")
        try refused(SentRequest(target: "/a\(text)b"), "the request target holds")
        try refused(SentRequest(authority: "a\(text)b"), "the host holds")
    }

    @Test("None of them may be empty")
    func empty() throws {
        try refused(SentRequest(method: ""), "the method is empty")
        try refused(SentRequest(target: ""), "the request target is empty")
        try refused(SentRequest(authority: ""), "the host is empty")
    }

    @Test("BAD-INPUT 17: control characters in a value, which HTTPField can be made to hold")
    func controls() throws {
        for byte in [UInt8](0x01...0x1F) + [0x7F] where byte != 0x09 && byte != 0x0A && byte != 0x0D {
            for name in [HTTPField.Name.accept, .authorization, .cookie] {
                try refused(
                    HTTPField(name: name, lenientValue: [0x61, byte, 0x62]),
                    "the value of \(name.rawName) holds a control character")
            }
        }
    }

    @Test(
        "BAD-INPUT 17: CR, LF and NUL arrive as spaces, and nothing is injected",
        arguments: ["\r\n", "\n", "\r", "\u{0}"])
    func lineEnds(_ text: String) throws {
        var session = HTTP2Session(limits: Limits())
        var decoder = HPACKDecoder()
        let frame = try SentRequest(headers: SentRequest.fields(["a": "b\(text)c: d"])).frame(in: &session)
        let fields = try decoder.fields(of: frame.payload)
        #expect(fields.count == 5)
        #expect(fields[4].value.replacing(" ", with: "") == "bc:d")
    }

    @Test("BAD-INPUT 19: Content-Length and Transfer-Encoding follow from the body, which is not of a negative length")
    func framing() throws {
        try refused(HTTPField(name: .contentLength, value: "5"), "Content-Length must not be set")
        try refused(HTTPField(name: .transferEncoding, value: "chunked"), "Transfer-Encoding must not be set")
        try refused(SentRequest(method: "POST", length: -1), "the length of the body is negative")
    }

    @Test(
        "BAD-INPUT 19: a Host that is none, and a second one", arguments: ["", "a b", "a/b", "user@a", "a:99999", "é"])
    func hosts(_ value: String) throws {
        try refused(SentRequest(headers: SentRequest.fields(["Host": value])), "the Host field")
        try refused(SentRequest(headers: SentRequest.fields(["Host": "a", "host": "b"])), "two Host fields")
    }

    @Test("BAD-INPUT 17: more than 65,000 fields")
    func tooMany() throws {
        var headers = HTTPFields()
        for _ in 0...65_000 { headers.append(HTTPField(name: .accept, value: "x")) }
        try refused(SentRequest(headers: headers), "more than 65000 fields")
    }

    @Test("BAD-INPUT 20: no error text quotes a value")
    func secrets() throws {
        let field = HTTPField(name: .authorization, lenientValue: latin1("s3cret\u{1}"))
        var session = HTTP2Session(limits: Limits())
        let error = #expect(throws: WireError.self) {
            try SentRequest(headers: HTTPFields([field])).open(in: &session)
        }
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test("Trailers that cannot be sent leave the request as it was")
    func trailers() throws {
        var run = SessionRun([FedRequest(method: "POST", isWhole: false)])
        let stream = run.streams[0]
        let field = HTTPField(name: .accept, lenientValue: [1])
        do throws(WireError) {
            try run.session.sendTrailers(HTTPFields([field]), on: stream)
            Issue.record("not refused")
        } catch {
            #expect(error.kind == .invalidRequest)
        }
        #expect(run.takeSent().isEmpty)
        // The request has not ended; the response ends it.
        run.read(PeerFrame.settings() + PeerFrame.headers(1, [":status": "200"]))
        #expect(run.takeSent() == [.settingsAcknowledgement, .reset(1, 0)])
    }
}
