// StoreWriter: fills a SQLite store until it is done or killed, and prints a line for each stored item.
//
// StoreWriter cookies FILE PREFIX COUNT: stores `PREFIX0=0` and so on with growing numbers, under at most 100 names.
// StoreWriter cache PLACE URL COUNT: stores the responses to a GET of URL/0 and so on, read to their end.
// StoreWriter hits PLACE URL COUNT: measures a GET of URL that the cache answers.
// PLACE is memory, a folder, or a file whose name ends with .sqlite.

#if Store
import Foundation
import Tsubame
import TsubameStore

let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[4]) else { exit(64) }

func cache(in place: String) throws -> ResponseCache {
    if place == "memory" { return ResponseCache() }
    return try place.hasSuffix(".sqlite") ? ResponseCache(sqlite: place) : ResponseCache(folder: place)
}

func say(_ number: Int) throws { try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8)) }

do {
    switch arguments[1] {
    case "cookies":
        let jar = try CookieJar(sqlite: arguments[2])
        for number in 0..<count {
            try jar.set("\(arguments[3])\(number % 100)=\(number); Max-Age=86400", from: "https://www.example.com/")
            try say(number)
        }
        for notice in jar.notices { print(notice) }
    case "cache":
        let cache = try cache(in: arguments[2])
        let client = Client(arguments[3]) { $0.cache = .cache(cache) }
        let observation = client.observe { event in
            if case .decision(let text) = event.kind { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
        }
        for number in 0..<count {
            try await client.stream(Request(.get, "\(number)")) { response in for try await _ in response.body {} }
            try say(number)
        }
        observation.cancel()
        await client.close()
    case "hits":
        let place = arguments[2]
        let cache = try cache(in: place)
        let client = Client { $0.cache = .cache(cache) }
        let request = Request(.get, url: arguments[3])
        // The task runs on the client's executor, so that the main thread takes no part in it.
        let task = Task(executorPreference: client.executor) {
            for _ in 0..<200 { _ = try await client.send(request) }
            var hits = 0
            let duration = try await ContinuousClock().measure {
                for _ in 0..<count where try await client.send(request).cacheStatus?.hasPrefix("tsubame; hit") == true {
                    hits += 1
                }
            }
            return (hits, duration / count)
        }
        let (hits, duration) = try await task.value
        print("\(hits) of \(count) from \(place): \(duration) each")
        await client.close()
    default: exit(64)
    }
} catch {
    print(error)
    exit(1)
}
#endif
