// Outages: a server, a resolver and a disk that fail for a while and come back, and a clock that jumps.
#if TestServer && Store

import Foundation
import Tsubame
import TsubameStore
import TsubameTesting

/// Each of these ends with a client that works again.
struct Outages {
    let verdict: Verdict

    private func client(_ base: String, _ change: (inout Configuration) -> Void = { _ in }) -> Client {
        Client(base) {
            $0.timeouts.total = .seconds(5)
            $0.connection.proxy = .none
            $0.retry = .off
            change(&$0)
        }
    }

    /// The kind of error with which a call fails; nil if it succeeds.
    private static func failure(_ client: Client) async -> CallError.Kind? {
        do throws(CallError) {
            _ = try await client.get("0/100")
            return nil
        } catch {
            return error.kind
        }
    }

    // MARK: A server that goes and comes back

    /// A process is killed in the middle of many calls, and another one takes its port.
    func server() async throws {
        let (first, ports) = try ServerProcess.start(["load-server"], as: LoadServerPorts.self)
        let client = client("http://127.0.0.1:\(ports.plain)")
        let kinds = Shared<[String: Int]>([:])
        let isOver = Shared(false)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    while !isOver.value {
                        let kind = await Self.failure(client)?.rawValue ?? "right"
                        kinds.change { $0[kind, default: 0] += 1 }
                    }
                }
            }
            try? await Task.sleep(for: .milliseconds(300))
            first.kill()
            try? await Task.sleep(for: .milliseconds(300))
            isOver.change { $0 = true }
        }
        let counts = kinds.value
        verdict.say(
            "a server is killed: \(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        )
        let allowed: Set = ["right", "connectionFailed", "connectionLost", "emptyReply", "incompleteResponse"]
        verdict.promise("each call fails at once, and says why", Set(counts.keys).isSubset(of: allowed))
        verdict.promise("calls succeeded before and failed after", counts["right"] != nil && counts.count > 1)
        let (second, _) = try ServerProcess.start(
            ["load-server", "\(ports.plain)"], as: LoadServerPorts.self)
        let kind = await Self.failure(client)
        verdict.promise("the first call after the server is back succeeds: \(kind?.rawValue ?? "right")", kind == nil)
        await verdict.promiseRest(client)
        second.stop()
    }

    // MARK: A resolver that fails and recovers

    func resolver() async throws {
        struct Gone: Error {}
        let (server, ports) = try ServerProcess.start(["load-server"], as: LoadServerPorts.self)
        let works = Shared(false)
        let client = client("http://name.test:\(ports.plain)") {
            $0.connection.exchangesPerConnection = 1
            $0.connection.addressLifetime = .zero
            $0.connection.resolver = .custom { _ in
                guard works.value else { throw Gone() }
                return NameResolver.Answer(["127.0.0.1"])
            }
        }
        for round in 0..<3 {
            works.change { $0 = false }
            let kind = await Self.failure(client)
            verdict.promise(
                "round \(round): without addresses a call fails: \(kind?.rawValue ?? "right")", kind == .nameResolution)
            works.change { $0 = true }
            let again = await Self.failure(client)
            verdict.promise("round \(round): with addresses it succeeds: \(again?.rawValue ?? "right")", again == nil)
        }
        await verdict.promiseRest(client)
        server.stop()
    }

    /// The system's resolver, in a mount namespace in which `hosts` of this folder is /etc/hosts, and no server of names
    /// answers.
    func names(_ folder: URL) async throws {
        let hosts = folder.appending(path: "hosts")
        let (server, ports) = try ServerProcess.start(["load-server"], as: LoadServerPorts.self)
        let client = client("http://swallow.test:\(ports.plain)") {
            $0.connection.exchangesPerConnection = 1
            $0.connection.addressLifetime = .zero
        }
        for round in 0..<3 {
            try Data().write(to: hosts)
            let kind = await Self.failure(client)
            verdict.promise(
                "round \(round): a name that the system does not find: \(kind?.rawValue ?? "right")",
                kind == .nameResolution)
            try Data("127.0.0.1 swallow.test\n".utf8).write(to: hosts)
            let again = await Self.failure(client)
            verdict.promise("round \(round): the name is there again: \(again?.rawValue ?? "right")", again == nil)
        }
        await verdict.promiseRest(client)
        server.stop()
    }

    // MARK: A disk that is full

    /// - Parameter folder: an empty folder on a file system of about a mebibyte.
    func disk(_ folder: URL) async throws {
        let (server, ports) = try ServerProcess.start(["load-server"], as: LoadServerPorts.self)
        let cache = try ResponseCache(folder: folder.appending(path: "cache"))
        let jar = try CookieJar(sqlite: folder.appending(path: "cookies.sqlite").path)
        let client = client("http://127.0.0.1:\(ports.plain)") {
            $0.cache = .cache(cache)
            $0.cookies = .jar(jar)
        }
        let isRoomy = await works(client, jar, ports.plain, "before")
        verdict.promise("with room, cookies are kept", isRoomy && jar.failure == nil)
        _ = try await client.get("100/1000")
        let early = await Self.stored(client, 100, 1_000)
        verdict.promise("with room, a response is kept: \(early)", early == .right)

        let filler = folder.appending(path: "filler")
        fill(filler)
        var kinds: Set<String> = []
        for id in 0..<20 {
            let isRight = try? await client.get("\(id)/50000").bytes.elementsEqual(Content.bytes(id: id, count: 50_000))
            if isRight != true { kinds.insert("call \(id)") }
        }
        verdict.promise("a full disk costs no call its response: \(kinds.sorted())", kinds.isEmpty)
        let states = await Self.states(client, 0..<20, 50_000)
        verdict.promise("what the cache gives is whole: \(states)", !states.contains(.wrong))
        let first = await Self.stored(client, 100, 1_000)
        verdict.promise("a response that was kept before is there: \(first)", first == .right)
        let stillWorks = await works(client, jar, ports.plain, "full")
        verdict.promise("cookies go on in memory", stillWorks)
        verdict.promise("the jar says why it keeps none: \(jar.failure?.reason ?? "")", jar.failure?.kind == .file)

        let target = folder.appending(path: "download")
        do throws(CallError) {
            _ = try await client.download("7/4000000", to: target)
            verdict.promise("a download without room fails", false)
        } catch {
            verdict.promise("a download without room fails with a file error: \(error.reason)", error.kind == .file)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        verdict.promise("nothing of it is left: \(left)", !left.contains { $0.contains("download") })

        try FileManager.default.removeItem(at: filler)
        let worksAgain = await works(client, jar, ports.plain, "after")
        verdict.promise(
            "with room again, cookies are kept again: \(jar.failure?.reason ?? "")", worksAgain && jar.failure == nil)
        _ = try await client.get("200/1000")
        let late = await Self.stored(client, 200, 1_000)
        verdict.promise("with room again, a response is kept again: \(late)", late == .right)
        let reopened = try ResponseCache(folder: folder.appending(path: "cache"))
        let second = self.client("http://127.0.0.1:\(ports.plain)") {
            $0.cache = .cache(reopened)
            // A response is stored for the jar whose cookies its request had.
            $0.cookies = .jar(jar)
        }
        let found: [Stored] = [await Self.stored(second, 100, 1_000), await Self.stored(second, 200, 1_000)]
        verdict.promise("a new cache has the responses of both times: \(found)", found == [.right, .right])
        await second.close()
        let file = try await client.download("8/300000", to: target)
        let bytes = try Data(contentsOf: file.url)
        verdict.promise("and a download succeeds", bytes.elementsEqual(Content.bytes(id: 8, count: 300_000)))
        let kept = try CookieJar(sqlite: folder.appending(path: "cookies.sqlite").path)
        let names = Set(try kept.cookies(for: "http://127.0.0.1:\(ports.plain)/").map(\.name))
        verdict.promise(
            "a new jar has the cookies of all times: \(names.sorted())", names == ["before", "full", "after"])
        await verdict.promiseRest(client)
        server.stop()
    }

    private enum Stored { case right, wrong, missing }

    /// Asks the cache alone for a response.
    private static func stored(_ client: Client, _ id: Int, _ count: Int) async -> Stored {
        var request = Request(.get, path: "\(id)/\(count)")
        request.cachePolicy = .onlyStored
        guard let response = try? await client.send(request) else { return .wrong }
        if response.statusCode == 504 { return .missing }
        return response.bytes.elementsEqual(Content.bytes(id: id, count: count)) ? .right : .wrong
    }

    private static func states(_ client: Client, _ ids: Range<Int>, _ count: Int) async -> Set<Stored> {
        var states: Set<Stored> = []
        for id in ids { states.insert(await stored(client, id, count)) }
        return states
    }

    /// Whether a call and a cookie work.
    private func works(_ client: Client, _ jar: CookieJar, _ port: Int, _ name: String) async -> Bool {
        let url = "http://127.0.0.1:\(port)/"
        do {
            // This throws if the cookie cannot be written; it is then kept in memory.
            try? jar.set("\(name)=1; Max-Age=86400", from: url)
            let response = try await client.get("1/10")
            return try response.status == .ok && jar.cookies(for: url).contains { $0.name == name }
        } catch {
            return false
        }
    }

    /// Writes until there is no room for a byte more.
    private func fill(_ file: URL) {
        let descriptor = open(file.path, O_WRONLY | O_CREAT, 0o600)
        defer { close(descriptor) }
        var size = 1 << 20
        let zeros = [UInt8](repeating: 0, count: size)
        while size > 0 {
            if write(descriptor, zeros, size) < size { size /= 2 }
        }
    }

    // MARK: A clock that jumps

    /// The library that is preloaded (Tests/clock-jump.c) moves the wall clock of this process.
    func clock() async throws {
        guard let symbol = dlsym(nil, "tsubame_move_clock") else {
            verdict.promise("the clock can be moved: preload the library made of Tests/clock-jump.c", false)
            return
        }
        let move = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Void).self)
        let (server, ports) = try ServerProcess.start(["load-server"], as: LoadServerPorts.self)
        let jar = CookieJar()
        let url = "http://127.0.0.1:\(ports.plain)/"
        let client = client(url) {
            $0.cache = .memory()
            $0.cookies = .jar(jar)
        }
        var now = 0
        for seconds in [3_600, -7_200, 86_400 * 400, -86_400 * 800, 0] {
            let begin = ContinuousClock.now
            async let silent: CallError.Kind? = {
                do throws(CallError) {
                    _ = try await client.get("silent", timeout: .milliseconds(400))
                    return nil
                } catch {
                    return error.kind
                }
            }()
            try await Task.sleep(for: .milliseconds(100))
            // Both live for a minute.
            try jar.set("short=1; Max-Age=60", from: url)
            _ = try await client.get("9/10")
            let isKept = try await client.get("9/10").isFromCache && jar.cookies(for: url).count == 1
            verdict.promise("before the jump, a response and a cookie are kept", isKept)
            move(seconds)
            if seconds > now {
                let response = try await client.get("9/10")
                let isOver = try !response.isFromCache && jar.cookies(for: url).isEmpty
                verdict.promise("after a jump of \(seconds - now) s both are over", isOver)
            }
            now = seconds
            let kind = await Self.failure(client)
            verdict.promise("after a jump of \(seconds) s a call succeeds: \(kind?.rawValue ?? "right")", kind == nil)
            let deadline = await silent
            let time = (ContinuousClock.now - begin).milliseconds
            verdict.promise(
                "a deadline comes neither early nor never: \(deadline?.rawValue ?? "right")",
                deadline == .timeout && time >= 390)
        }
        await verdict.promiseRest(client)
        server.stop()
    }
}
#endif
