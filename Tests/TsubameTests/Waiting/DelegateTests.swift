// DelegateTests: CallDelegate receives every stage in order; the client holds it weakly.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) @MainActor struct DelegateTests {
    /// Records the messages that it receives.
    final class Recorder: CallDelegate {
        var stages: [String] = []
        var bytes: [UInt8] = []
        var progress: [CallProgress] = []
        var calls: Set<UInt64> = []
        var result: Result<Response, CallError>?
        let ended = Gate()

        func call(_ call: Call, didReceive response: Response) {
            note(call, "head \(response.statusCode)")
            #expect(response.bytes.isEmpty || response.body.bytes != nil)
        }

        func call(_ call: Call, didReceive bytes: Bytes) {
            self.bytes += bytes
            if stages.last != "bytes" { note(call, "bytes") }
        }

        func call(_ call: Call, didProgress progress: CallProgress) { self.progress.append(progress) }

        func call(_ call: Call, didFinish response: Response) {
            note(call, "finished")
            end(.success(response))
        }

        func call(_ call: Call, didFailWith error: CallError) {
            note(call, "failed")
            end(.failure(error))
        }

        private func note(_ call: Call, _ stage: String) {
            MainActor.assertIsolated()
            calls.insert(call.id)
            stages.append(stage)
        }

        private func end(_ result: Result<Response, CallError>) {
            self.result = result
            ended.open()
        }
    }

    @Test func `the stages come in order, the pieces as they come, decoded`() async throws {
        let text = String(repeating: "hello, world. ", count: 40_000)
        let body = Coded.gzip(text)
        try await serving(
            .start { _ in .ok(body, headers: [.contentEncoding: "gzip"]) }
        ) { _, client in
            let recorder = Recorder()
            let call = client.start(Request(.post, "x", body: .text("up")), delegate: recorder)
            try await recorder.ended.wait()
            #expect(recorder.stages == ["head 200", "bytes", "finished"])
            #expect(recorder.bytes == Array(text.utf8))
            #expect(recorder.calls == [call.id])
            let response = try #require(try recorder.result?.get())
            #expect(response.bytes == Bytes(text))
            #expect(response.headers[.contentEncoding] == nil)
            // Progress counts the bytes on the wire.
            let last = try #require(recorder.progress.last)
            #expect(last.sent == TransferProgress(bytes: 2, total: 2))
            #expect(last.received == TransferProgress(bytes: Int64(body.count), total: Int64(body.count)))
        }
    }

    @Test func `progress of the answer is not told before its head`() async throws {
        final class Order: CallDelegate {
            var stages: [String] = []
            let ended = Gate()

            func call(_ call: Call, didReceive response: Response) { stages.append("head") }
            func call(_ call: Call, didProgress progress: CallProgress) {
                stages.append(progress.received.bytes > 0 ? "receiving" : "sending")
            }
            func call(_ call: Call, didFinish response: Response) {
                stages.append("finished")
                ended.open()
            }
            func call(_ call: Call, didFailWith error: CallError) {
                stages.append("failed")
                ended.open()
            }
        }
        try await serving(.start { _ in .ok("hello") }) { _, client in
            for _ in 0..<20 {
                let order = Order()
                client.start(Request(.post, "x", body: .text("up")), delegate: order)
                try await order.ended.wait()
                #expect(order.stages.first == "sending")
                #expect(order.stages.last == "finished")
                let head = try #require(order.stages.firstIndex(of: "head"))
                let receiving = try #require(order.stages.firstIndex(of: "receiving"))
                #expect(head < receiving)
                #expect(!order.stages[head...].contains("sending"))
            }
        }
    }

    @Test func `an empty answer has no pieces`() async throws {
        try await serving(.start { _ in .status(.noContent) }) { _, client in
            let recorder = Recorder()
            client.start(Request(.get, "x"), delegate: recorder)
            try await recorder.ended.wait()
            #expect(recorder.stages == ["head 204", "finished"])
        }
    }

    @Test func `a failure is told once, after what had come`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell"), .wait(for: gate), .close]
        }
        try await serving(server) { _, client in
            let recorder = Recorder()
            let observation = client.observe { if case .receiving = $0.kind { gate.open() } }
            client.start(Request(.get, "x"), delegate: recorder)
            try await recorder.ended.wait()
            try await settled(client)
            #expect(recorder.stages == ["head 200", "bytes", "failed"])
            #expect(recorder.bytes == Array("hell".utf8))
            #expect(throws: CallError.self) { try recorder.result?.get() }
            observation.cancel()
        }
    }

    @Test func `the delegate is not kept, and the call goes on without it`() async throws {
        let gate = Gate()
        try await serving(.start { _ in .ok("late").after(gate) }) { server, client in
            let events = Log<CallEvent>()
            let finished = Gate()
            let observation = client.observe {
                events.add($0)
                if $0.kind.isFinal { finished.open() }
            }
            var recorder: Recorder? = Recorder()
            weak let dropped = recorder
            if let recorder { client.start(Request(.get, "x"), delegate: recorder) }
            _ = try await server.head(0)
            recorder = nil
            #expect(dropped == nil)
            gate.open()
            try await finished.wait()
            if case .finished(let response)? = events.ends.first {
                #expect(response.bytes == Bytes("late"))
            } else {
                Issue.record("\(events.ends)")
            }
            observation.cancel()
        }
    }

    @Test func `nothing keeps a call after its end`() async throws {
        try await serving(.start { _ in .ok("x") }) { _, client in
            weak var call: Call?
            let recorder = Recorder()
            call = client.start(Request(.get, "x"), delegate: recorder)
            try await recorder.ended.wait()
            recorder.result = nil
            // The task that reported the end holds the last reference, and releases it when the task ends.
            while call != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test func `cancelling is told as a failure`() async throws {
        try await serving(.start { _ in .stall }) { server, client in
            let recorder = Recorder()
            let call = client.start(Request(.get, "x"), delegate: recorder)
            _ = try await server.head(0)
            call.cancel()
            try await recorder.ended.wait()
            #expect(recorder.stages == ["failed"])
            guard case .failure(let error)? = recorder.result else {
                Issue.record("the call has not failed")
                return
            }
            #expect(error.kind == .cancelled)
        }
    }

    @Test func `more than the limit is a failure`() async throws {
        try await serving(.start { _ in .stream(nil) }) {
            $0.limits.bufferedBody = 1 << 20
        } _: { _, client in
            let recorder = Recorder()
            client.start(Request(.get, "x"), delegate: recorder)
            try await recorder.ended.wait()
            guard case .failure(let error)? = recorder.result else {
                Issue.record("the call has not failed")
                return
            }
            #expect(error.kind == .limitExceeded && recorder.stages.last == "failed")
            #expect(recorder.bytes.count <= 1 << 20)
        }
    }
}
