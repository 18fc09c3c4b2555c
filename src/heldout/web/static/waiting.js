// What is asked for is not there yet: ask again.
setTimeout(() => location.reload(), 700);
