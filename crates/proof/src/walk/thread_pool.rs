//! A thread pool whose results are in task order: each worker takes the next free task.
//!
//! No worker is idle while there is work, and results do not depend on the number or speed of the
//! workers. All searches use it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs the tasks `0..tasks`, each on the next free worker. Does nothing without workers. The first
/// worker runs on the calling thread, so a single task starts no thread.
///
/// ```
/// use oxbox_proof::walk::thread_pool;
///
/// let mut workers = [(); 3];
/// assert_eq!(thread_pool::share(&mut workers, 4, |(), task| task * task), [0, 1, 4, 9]);
/// ```
pub fn share<W: Send, R: Send>(
    workers: &mut [W],
    tasks: usize,
    work: impl Fn(&mut W, usize) -> R + Sync,
) -> Vec<R> {
    let useful = workers.len().min(tasks);
    let Some((first, others)) = workers[..useful].split_first_mut() else { return Vec::new() };
    if others.is_empty() {
        return (0..tasks).map(|task| work(first, task)).collect();
    }
    let next = AtomicUsize::new(0);
    let until_none_is_left = |worker: &mut W| {
        let mut done = Vec::new();
        loop {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= tasks {
                break done;
            }
            done.push((task, work(worker, task)));
        }
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let begun: Vec<_> =
            others.iter_mut().map(|worker| scope.spawn(|| until_none_is_left(worker))).collect();
        let mut done = until_none_is_left(first);
        for thread in begun {
            done.extend(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(task, _)| *task);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_and_in_order() {
        for workers in [1, 2, 7] {
            let mut thread_pool = vec![0; workers];
            let done = share(&mut thread_pool, 100, |count, task| {
                *count += 1;
                task
            });
            assert!(done.into_iter().eq(0..100), "{workers} workers");
            assert_eq!(thread_pool.iter().sum::<usize>(), 100, "{workers} workers");
        }
        assert_eq!(share(&mut Vec::<()>::new(), 3, |(), task| task), [0; 0]);
    }
}
