// ResponseAssemblerTests: head, body and trailers of a response, without a connection.

import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameWire

@testable import TsubameEngine

@Suite struct ResponseAssemblerTests {
    private final class Producer: BodyProducer {
        func resumeReading(of window: BodyWindow) {}
        func readerGaveUp(_ window: BodyWindow) {}
    }

    private func head(_ status: Int = 200) throws -> ReceivedHead {
        var decoder = ResponseDecoder(limits: Limits())
        decoder.begin(isHead: false, limits: Limits())
        var offset = 0
        let text = "HTTP/1.1 \(status) OK\r\nContent-Length: 9\r\n\r\n"
        let event = try Array(text.utf8).withUnsafeBytes { try decoder.next($0, &offset) }
        guard case .head(let head, _) = event else { throw CallError(.misuse, "no head") }
        return head
    }

    private func call(wantsStream: Bool = false, _ early: ClosedRange<Int>? = nil) -> Call {
        Call(
            Request(.get, url: "http://localhost/"),
            CallOptions(wantsStream: wantsStream, statusesPassedOnEarly: early), observers: ObserverList())
    }

    @Test func `pieces are gathered in their order`() async throws {
        var response = ResponseAssembler()
        response.begin(try head(), length: 9)
        for piece in ["one", "two", "six"] {
            let pauses = response.append(Bytes(piece), isShared: false)
            #expect(!pauses)
        }
        #expect(response.receivedBytes == 9 && response.expectedLength == 9)
        #expect(!response.wantsWindow(for: call()))
        let fields: HTTPFields = [.eTag: "x"]
        let whole = response.end(trailers: fields)
        let body = try #require(whole)
        #expect(try await body.collect(upTo: 9) == Bytes("onetwosix"))
        #expect(response.trailers?.fields?[.eTag] == "x")
    }

    @Test func `a body goes through a window if it is large, wanted as it comes, or passed on early`() throws {
        var response = ResponseAssembler()
        #expect(!response.wantsWindow(for: call(wantsStream: true)))
        response.begin(try head(302), length: nil)
        #expect(response.wantsWindow(for: call(wantsStream: true)))
        #expect(response.wantsWindow(for: call(300...399)))
        #expect(!response.wantsWindow(for: call(400...499)))
        _ = response.append(Bytes([UInt8](repeating: 1, count: 256 << 10)), isShared: false)
        #expect(!response.wantsWindow(for: call()))
        _ = response.append(Bytes("x"), isShared: false)
        #expect(response.wantsWindow(for: call()))
        _ = response.openWindow(Producer(), call: call(), isShared: false)
        #expect(!response.wantsWindow(for: call()))
    }

    @Test func `the reader of a window gets what was gathered, and what comes`() async throws {
        var response = ResponseAssembler()
        response.begin(try head(), length: 6)
        _ = response.append(Bytes("one"), isShared: false)
        let window = response.openWindow(Producer(), call: call(wantsStream: true), isShared: false)
        _ = response.append(Bytes("two"), isShared: false)
        let whole = response.end(trailers: nil)
        #expect(whole == nil)
        let body = ResponseBody(BodyPull(window))
        #expect(try await body.collect(upTo: 9) == Bytes("onetwo"))
    }

    @Test func `an error is told to the reader of a window, or to the caller`() async throws {
        let error = CallError(.incompleteResponse, "cut off")
        var gathering = ResponseAssembler()
        gathering.begin(try head(), length: 6)
        let isTold = gathering.fail(error)
        #expect(!isTold)
        var streaming = ResponseAssembler()
        streaming.begin(try head(), length: 6)
        let window = streaming.openWindow(Producer(), call: call(wantsStream: true), isShared: false)
        let isReaderTold = streaming.fail(error)
        #expect(isReaderTold)
        #expect(streaming.window == nil)
        let body = ResponseBody(BodyPull(window))
        await #expect(throws: CallError.self) { try await body.collect(upTo: 9) }
    }

    @Test func `a refusal is read to its end if that is no more than 64 KiB`() {
        var response = ResponseAssembler()
        #expect(!response.isRefused)
        response.refuse()
        #expect(response.isRefused)
        let drains = response.drain(Bytes([UInt8](repeating: 1, count: 64 << 10)))
        let drainsMore = response.drain(Bytes("x"))
        #expect(drains && !drainsMore)
    }
}
