(function(){
var box=document.querySelector('input[type=search]'),told=document.getElementById('told');
function each(q,f){Array.prototype.forEach.call(document.querySelectorAll(q),f)}
function places(table,n){
 for(var i=0;i<table.length;i++){var r=table[i],all=r[1]*r[2];
  if(n>=r[0]&&n<r[0]+all){var k=(n-r[0])%r[1];return{shape:r[3],local:r[4]+k*r[5]}}}
}
function find(){
 each('.found',function(e){e.classList.remove('found')});
 var word=box.value.trim();told.textContent='';
 if(!word)return;
 if(!/^[0-9]+$/.test(word)){
  var hits=0;each('[data-shape]',function(e){if((','+e.getAttribute('data-hosts')+',').indexOf(word)>=0){e.classList.add('found');hits++}});
  told.textContent=hits?'node named in '+hits+' of the shapes':'no shape names this node';return}
 var n=+word,first=null;
 each('.p[data-rank="'+n+'"]',function(e){e.classList.add('found');first=first||e});
 if(!first)each('script[type="application/json"]',function(s){
  var at=places(JSON.parse(s.textContent),n);if(!at)return;
  var shape=s.parentNode.querySelector('[data-shape="'+at.shape+'"]');if(!shape)return;
  var p=shape.querySelector('.p[data-local="'+at.local+'"]')||shape;
  p.classList.add('found');first=p;
  told.textContent='rank '+n+' has this place, local rank '+at.local+', on another node of shape '+at.shape});
 if(first){if(!told.textContent)told.textContent='rank '+n+' is marked';if(first.scrollIntoView)first.scrollIntoView({block:'center'})}
 else told.textContent='rank '+n+' is not drawn: stowplan explain '+n;
}
box.addEventListener('input',find);
each('input[data-app]',function(e){e.addEventListener('change',function(){
 each('.p[data-app="'+e.getAttribute('data-app')+'"]',function(p){p.classList.toggle('dim',!e.checked)})})});
each('.noprint',function(e){e.hidden=false});
})();
